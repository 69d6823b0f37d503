// Valid requests of every route that takes JSON or a query, made wild.
import type { Random } from '../support/random.ts';
import { hostileStrings } from '../support/hostile-strings.ts';
import { multipart, multipartType } from '../support/multipart.ts';
import type { FuzzAccounts } from './fuzz-accounts.ts';
import type { ApiRequest } from './hostile-requests.ts';
import { mutateBytes, mutateText, percentEncoded } from './mutate.ts';
import { wildJson } from './wild-json.ts';

const update = { tags: ['a', 'holiday'], folder: 'x/y' };
const bulk = { action: 'untag', objects: ['here', 'gone'], tags: ['t', 'u'] };
const settings = {
  email: 'me@example.com',
  storage_backend: 'files',
  ai_analysis: true,
  ai_provider: 'local',
  openai_api_key: 'sk-1',
  openai_base_url: 'https://ai.invalid/v1',
  openai_caption_model: 'eyes',
  openai_embedding_model: 'words',
  openai_embedding_dimensions: 64,
  transform_policy: 'presets',
  presets: { thumb: 'w-5_h-5', wide: 'w-900_fit-max' },
  webhook_url: 'https://example.com/hook',
};
const newKey = { name: 'mine', scopes: ['read', 'write'], expires_at: '2101-01-01T00:00:00Z' };
const terms = {
  tier: 'pro',
  storage_limit: 1000,
  video_minutes_limit: 10,
  rate_limit_per_minute: 5,
  variants_per_minute: 60,
};
const queries = [
  '/get/?page=1&page_size=10&tags=a,b&folder=x/y&type=image&view=full',
  '/get/?cursor=MTA&page_size=100',
  '/get/tags?tags=a&tags=b',
];
const searches = [
  '/get/search?q=a+dog&threshold=0.5&limit=3',
  '/get/search?q=a+grey+dog&mode=hybrid&tags=a,b&folder=x/y&threshold=0',
  '/get/search?like=here&tags=a&limit=100',
];
const querySigns = ['&', '=', '?', '%', '+', '[]', '[0]', '%5b', ';', '1e3', '-1', '%ff', '%00'];
const encoded = hostileStrings().map((text) => encodeURIComponent(text.toWellFormed()));
const queryPieces = [...querySigns, 'page=', 'tags=', 'folder=', 'q=', 'like=', 'mode=', ...encoded];
const jsonTypes = ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset=utf-16'];
const otherTypes = [
  'text/plain',
  '',
  'application/xml',
  'application/json, text/plain',
  'multipart/form-data',
];
const types = [...jsonTypes, ...otherTypes, multipartType];
const formPieces = [
  '\r\n',
  '--',
  ';',
  '"',
  'filename=',
  ...hostileStrings().filter((text) => text.length < 400),
];

export function wildRequest(random: Random, accounts: FuzzAccounts, file: Buffer): ApiRequest {
  if (random.chance(0.2)) return wildQuery(random, queries, accounts.user);
  if (random.chance(0.1)) return wildQuery(random, searches, accounts.searcher);
  if (random.chance(0.05)) return wildUpload(random, accounts.user, file);
  const [method, url, sample, key = accounts.user] = random.pick([
    ['POST', '/update/here', update],
    ['POST', '/v1/update/here', update],
    ['POST', '/bulk/', bulk],
    ['PATCH', '/user/', settings],
    ['POST', '/keys/', newKey],
    ['POST', '/keys/nobody/rotate', { grace_seconds: 60 }],
    ['POST', '/accounts/', { email: 'you@example.com', ...terms }, accounts.operator],
    ['PATCH', `/accounts/${accounts.otherAccountId}`, { ...terms, enabled: true }, accounts.operator],
  ] as const);
  const type = random.chance(0.05) ? random.pick(types) : 'application/json';
  return { method, url, key, type, body: wildJson(random, structuredClone(sample) as never) };
}

function wildQuery(random: Random, urls: readonly string[], key: string): ApiRequest {
  const url = random.pick(urls);
  const start = url.indexOf('?') + 1;
  const query = mutateText(random, url.slice(start), queryPieces);
  // What a path or query cannot hold as it is never reaches the service: the client's own parser stops it.
  const sendable = query.toWellFormed().replace(/[^!-~]|[#\\]/gu, percentEncoded);
  return { method: 'GET', url: url.slice(0, start) + sendable.slice(0, 12_000), key };
}

function wildUpload(random: Random, key: string, file: Buffer): ApiRequest {
  const fields = ['object', 'folder', 'tags'].map((name) => ({ name, value: random.pick(formPieces) }));
  const body = multipart([...random.some(fields, 3), { name: 'file', value: file, fileName: 'a.png' }]);
  return {
    method: 'POST',
    url: '/upload/',
    key,
    type: multipartType,
    body: mutateBytes(random, body, formPieces),
  };
}
