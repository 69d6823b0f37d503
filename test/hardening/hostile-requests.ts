// Every hostile string in every place of the API a string goes, in every spelling that place allows.
import { hostileStrings } from '../support/hostile-strings.ts';
import { boundary, multipartType } from '../support/multipart.ts';
import type { FuzzAccounts } from './fuzz-accounts.ts';
import { inAddress, inForm, inJson } from './spellings.ts';

export type ApiRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  key: string;
  type?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
};

const queries = {
  '/get/': ['page', 'page_size', 'tags', 'folder', 'type', 'cursor', 'view', 'unknown'],
  '/get/tags': ['tags', 'folder'],
};
/** Each whole but for what the text is put behind. */
const searches = [
  'q=',
  'mode=hybrid&q=',
  'like=',
  ...['tags', 'folder', 'mode', 'threshold', 'limit'].map((name) => `q=a&${name}=`),
];

export function hostileRequests(
  { user, searcher, operator, otherAccountId }: FuzzAccounts,
  file: Buffer,
): ApiRequest[] {
  return hostileStrings().flatMap((text) => [
    ...inAddress(text).flatMap((spelled) => [
      ...inPaths(spelled, user, operator),
      ...inQueries(spelled, user),
      ...inSearches(spelled, searcher),
    ]),
    ...inJson(text).flatMap((spelled) => inBodies(spelled, user, operator, otherAccountId)),
    ...inForm(text).flatMap((spelled) => inForms(spelled, user, file)),
    ...inHeaders(text, user),
  ]);
}

function inPaths(text: string, key: string, operator: string): ApiRequest[] {
  const tags = { key, type: 'application/json', body: '{"tags":[]}' };
  return [
    { method: 'GET', url: `/get/${text}`, key },
    { method: 'GET', url: `/v1/get/${text}/`, key },
    { method: 'DELETE', url: `/delete/${text}`, key },
    { method: 'POST', url: `/update/${text}`, ...tags },
    { method: 'GET', url: `/create/${text}/w-5.webp`, key },
    { method: 'GET', url: `/create/here/${text}`, key },
    { method: 'GET', url: `/accounts/${text}`, key: operator },
    { method: 'PATCH', url: `/accounts/${text}`, key: operator, type: 'application/json', body: '{}' },
    { method: 'DELETE', url: `/keys/${text}`, key },
    { method: 'POST', url: `/keys/${text}/rotate`, key },
    { method: 'GET', url: `/${text}`, key },
  ];
}

function inQueries(text: string, key: string): ApiRequest[] {
  return Object.entries(queries).flatMap(([path, names]) => [
    ...names.map((name): ApiRequest => ({ method: 'GET', url: `${path}?${name}=${text}`, key })),
    { method: 'GET', url: `${path}?${text}=1&q=x`, key },
  ]);
}

function inSearches(text: string, key: string): ApiRequest[] {
  return [...searches.map((start) => start + text), `${text}=1&q=x`].map((query) => ({
    method: 'GET',
    url: `/get/search?${query}`,
    key,
  }));
}

/** Of `PATCH /user/`. */
const textSettings = [
  'email',
  'webhook_url',
  'storage_backend',
  'ai_provider',
  'openai_api_key',
  'openai_base_url',
  'openai_caption_model',
  'openai_embedding_model',
  'openai_embedding_dimensions',
];

function inBodies(text: string, key: string, operator: string, otherAccountId: string): ApiRequest[] {
  const json = (method: 'POST' | 'PATCH', url: string, body: string, by = key): ApiRequest => ({
    method,
    url,
    key: by,
    type: 'application/json',
    body,
  });
  return [
    json('POST', '/update/here', `{"tags":[${text}]}`),
    json('POST', '/update/here', `{"tags":[],"folder":${text}}`),
    json('POST', '/update/here', `{"tags":[],${text}:${text}}`),
    json('POST', '/bulk/', `{"action":${text},"objects":["here"]}`),
    json('POST', '/bulk/', `{"action":"untag","objects":[${text}],"tags":["x"]}`),
    json('POST', '/bulk/', `{"action":"tag","objects":["here"],"tags":[${text}]}`),
    json('PATCH', '/user/', `{${text}:${text}}`),
    json('PATCH', '/user/', `{"presets":{${text}:"w-5"}}`),
    json('PATCH', '/user/', `{"presets":{"ok":${text}}}`),
    ...textSettings.map((name) => json('PATCH', '/user/', `{"${name}":${text}}`)),
    json('POST', '/keys/', `{"name":${text},"scopes":["read"]}`),
    json('POST', '/keys/', `{"name":"x","scopes":[${text}]}`),
    json('POST', '/keys/', `{"name":"x","expires_at":${text}}`),
    json('POST', '/keys/nobody/rotate', `{"grace_seconds":${text}}`),
    json('POST', '/accounts/', `{"email":${text}}`, operator),
    json('POST', '/accounts/', `{"email":"a@b.c","tier":${text}}`, operator),
    json('PATCH', `/accounts/${otherAccountId}`, `{"storage_limit":${text},${text}:1}`, operator),
    json('POST', '/bulk/', text),
  ];
}

function inForms(text: Buffer, key: string, file: Buffer): ApiRequest[] {
  const disposition = (parameters: Buffer | string): Buffer =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; `),
      Buffer.from(parameters as string),
      Buffer.from('\r\n\r\n'),
    ]);
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const filePart = (parameters: Buffer | string) => Buffer.concat([disposition(parameters), file, end]);
  const field = (name: string): Buffer =>
    Buffer.concat([
      disposition(`name="${name}"`),
      text,
      Buffer.from('\r\n'),
      filePart('name="file"; filename="a"'),
    ]);
  const named = (before: string, after: string) =>
    filePart(Buffer.concat([Buffer.from(before), text, Buffer.from(after)]));
  return [
    field('object'),
    field('folder'),
    field('tags'),
    named('name="file"; filename="', '"'),
    named(`name="file"; filename*=UTF-8''`, ''),
    named('name="', '"; filename="a.jpg"'),
  ].map((body): ApiRequest => ({ method: 'POST', url: '/upload/', key, type: multipartType, body }));
}

function inHeaders(text: string, key: string): ApiRequest[] {
  return [
    ...['idempotency-key', 'accept', 'host', 'x-forwarded-for', 'x-forwarded-host', 'content-encoding'].map(
      (name): ApiRequest => ({ method: 'GET', url: '/get/', key, headers: { [name]: text } }),
    ),
    { method: 'GET', url: '/get/', key: text },
    { method: 'POST', url: '/update/here', key, type: text, body: '{"tags":[]}' },
    {
      method: 'POST',
      url: '/upload/',
      key,
      type: `multipart/form-data; boundary=${text}`,
      body: `--${text}--`,
    },
  ];
}
