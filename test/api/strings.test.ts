// Hostile strings in every place a string goes: never our fault, always a proper error, and what is accepted comes back
// equal, or normalised as documented.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sendJson } from '../support/accounts.ts';
import { assertClean } from '../support/assert-clean.ts';
import { assertErrorShape } from '../support/assert-error.ts';
import { hostileStrings } from '../support/hostile-strings.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { head, sendRaw } from '../support/raw-http.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { prepared } from '../support/variants.ts';

let server: TestServer;
let file: Buffer;
let bucket: string;
const logLines: string[] = [];
before(async () => {
  server = await startServer({}, { logLines });
  file = await picture(4, 4);
  bucket = (await server.json('/user/')).body.bucket_id;
  await server.upload(file, { object: 'here' });
});
after(() => server.stop());

type Answer = { status: number; headers: Headers; body: unknown };

/** True when it was accepted. */
function answered(answer: Answer, text: string): boolean {
  assert.ok(answer.status < 500, `${JSON.stringify(text)}: ${answer.status} ${JSON.stringify(answer.body)}`);
  if (answer.status >= 400) assertErrorShape(answer);
  return answer.status < 400;
}

const upload = (fields: { name: string; value: string }[], fileName = 'a.jpg') =>
  server.json('/upload/', {
    method: 'POST',
    body: new Uint8Array(multipart([...fields, { ...filePart(file), fileName }])),
    headers: { 'Content-Type': multipartType },
  });

async function forEach(strings: readonly string[], check: (text: string) => Promise<void>): Promise<void> {
  const waiting = [...strings];
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) await check(text);
    }),
  );
}

// oxlint-disable-next-line no-control-regex -- the documented rule
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** What a lone surrogate becomes on its way through UTF-8. */
const sent = (text: string) => text.toWellFormed();

test('as object id: accepted exactly when it fits the pattern', async () => {
  await forEach(hostileStrings(), async (text) => {
    const answer = await upload([{ name: 'object', value: text }]);
    const fits =
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text) && !['tags', 'search', 'bulk'].includes(text);
    assert.equal(
      answered(answer, text),
      text === '' || (fits && !text.startsWith('vid-')),
      JSON.stringify(text),
    );
    if (answer.status === 200 && text !== '') assert.equal(answer.body.object_id, text);
    if (answer.status === 400) assert.equal(answer.body.error, 'Invalid object id');
  });
});

test('as folder: accepted ones come back without their outer slashes', async () => {
  await forEach(hostileStrings(), async (text) => {
    const answer = await upload([{ name: 'folder', value: text }]);
    const stripped = sent(text).replace(/^\/+|\/+$/g, '');
    const fits =
      !control.test(stripped) &&
      Array.from(stripped).length <= 512 &&
      !stripped.split('/').some((part) => /^\.\.?$/.test(part));
    assert.equal(answered(answer, text), fits, JSON.stringify(text));
    if (!fits) return;
    assert.equal(answer.body.folder, stripped === '' ? null : stripped);
    if (stripped === '') return;
    const { body } = await server.json(`/get/?folder=${encodeURIComponent(stripped)}`);
    assert.deepEqual(body.objects, [answer.body.object_url], 'and can be found by it');
  });
});

test('as tag: accepted ones come back split and trimmed, and find the object', async () => {
  await forEach(hostileStrings(), async (text) => {
    const answer = await upload([{ name: 'tags', value: text }]);
    const tags = [
      ...new Set(
        sent(text)
          .split(',')
          .map((tag) => tag.trim()),
      ),
    ].filter((tag) => tag !== '');
    const fits = tags.every((tag) => !control.test(tag) && Array.from(tag).length <= 100);
    assert.equal(answered(answer, text), fits, JSON.stringify(text));
    if (!fits) return;
    assert.deepEqual(answer.body.tags, tags);
    if (tags.length === 0) return;
    const query = new URLSearchParams(tags.map((tag): [string, string] => ['tags', tag]));
    const { body } = await server.json(`/get/?${query.toString()}`);
    assert.ok(body.objects.includes(answer.body.object_url), 'and can be found by them');
  });
});

test('as file name: always accepted, never a path, never longer than 255 bytes', async () => {
  await forEach(hostileStrings(), async (text) => {
    const quoted = text.replace(/["\r\n]/g, (character) => encodeURIComponent(character));
    const answer = await upload([], quoted);
    assert.ok(answered(answer, text), JSON.stringify(text));
    const name = answer.body.original_file_name;
    assert.ok(
      name !== '' && !/[/\\]/.test(name) && !control.test(name) && Buffer.byteLength(name) <= 255,
      name,
    );
  });
});

test('in the path of every address that takes a name', async () => {
  const paths: ((name: string) => [string, string])[] = [
    (name) => ['GET', `/get/${name}`],
    (name) => ['DELETE', `/delete/${name}`],
    (name) => ['GET', `/create/${name}/w-5.webp`],
    (name) => ['GET', `/create/here/${name}`],
    (name) => ['GET', `/keys/${name}`],
    (name) => ['DELETE', `/keys/${name}`],
    (name) => ['GET', `/accounts/${name}`],
    (name) => ['GET', `/files/${name}/here/original`],
    (name) => ['GET', `/files/${bucket}/${name}/original`],
    (name) => ['GET', `/files/${bucket}/here/${name}`],
    (name) => ['GET', `/storage/${bucket}/here/${name}.webp`],
    (name) => ['GET', `/${name}`],
    (name) => ['GET', `/v1/${name}/`],
  ];
  await forEach(hostileStrings(), async (text) => {
    for (const path of paths) {
      const [method, address] = path(encodeURIComponent(sent(text)));
      const answer = await server.call(address, { method });
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
      const body: unknown = isJson ? await answer.json() : await answer.text();
      answered({ status: answer.status, headers: answer.headers, body }, `${method} ${address}`);
    }
  });
});

test('in the path as it is, where the bytes can be sent at all', async () => {
  const sendable = hostileStrings().filter((text) => /^[!-~]*$/.test(text) && !text.includes('#'));
  await forEach(sendable, async (text) => {
    for (const target of [
      `/get/${text}`,
      `/files/${bucket}/${text}/original`,
      `/files/${bucket}/here/${text}`,
      `/${text}`,
    ]) {
      const answer = await sendRaw(server, head('GET', target, { Connection: 'close' }));
      assert.ok(answer.status < 500, target);
      if (answer.status >= 400) assertErrorShape(answer);
    }
  });
});

test('in every query parameter', async () => {
  const places: [string, string[]][] = [
    ['/get/', ['page', 'page_size', 'tags', 'folder', 'type', 'cursor', 'view', 'unknown']],
    ['/get/tags', ['tags']],
    ['/get/search', ['q', 'like', 'tags', 'folder', 'mode', 'threshold', 'limit']],
    [`/files/${bucket}/here/original`, ['dl', 'exp', 'sig']],
  ];
  await forEach(hostileStrings(), async (text) => {
    for (const [path, names] of places) {
      for (const name of names) {
        const answer = await server.call(`${path}?${name}=${encodeURIComponent(sent(text))}`);
        const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
        const body: unknown = isJson ? await answer.json() : await answer.arrayBuffer();
        answered({ status: answer.status, headers: answer.headers, body }, `${path}?${name}=${text}`);
      }
    }
  });
});

test('in JSON, as values and as names', async () => {
  await forEach(hostileStrings(), async (text) => {
    for (const [method, path, body] of [
      ['POST', '/update/here', { tags: [text] }],
      ['POST', '/update/here', { tags: [], folder: text }],
      ['POST', '/update/here', { tags: [], [text]: text }],
      ['POST', '/bulk/', { action: text, objects: ['here'] }],
      ['POST', '/bulk/', { action: 'untag', objects: [text], tags: ['x'] }],
      ['POST', '/bulk/', { action: 'tag', objects: ['here'], tags: [text] }],
      ['PATCH', '/user/', { [text]: text }],
      ['PATCH', '/user/', { presets: { [text]: 'w-5' } }],
      ['PATCH', '/user/', { presets: { ok: text } }],
      ['PATCH', '/user/', { webhook_url: text === '' ? 'x' : text }],
      ['PATCH', '/user/', { openai_base_url: text }],
      ['PATCH', '/user/', { openai_caption_model: text }],
      ['PATCH', '/user/', { openai_embedding_model: text }],
      ['PATCH', '/user/', { openai_embedding_dimensions: text, ai_provider: text }],
      ['POST', '/keys/', { name: text, scopes: [text] }],
      ['POST', '/keys/', { name: 'x', expires_at: text }],
      ['POST', '/accounts/', { email: text, tier: text }],
    ] as const) {
      answered(await server.json(path, sendJson(method, body)), `${path} ${JSON.stringify(body)}`);
    }
  });
});

test('any string at all as a tag comes back as it went in, or is refused', async () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 120 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
  );
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const answer = await server.json('/update/here', sendJson('POST', { tags: [text] }));
      if (!answered(answer, text)) return;
      const { body } = await server.json('/get/here');
      assert.deepEqual(body.tags, text.trim() === '' ? [] : [text.trim()]);
    }),
    { numRuns: 100 },
  );
});

test('any text at all as a transformation is a picture or a 4xx', async () => {
  const token = fc.oneof(
    fc.constantFrom('w-5', 'h-9', 'fit-max', 'q-50', 'original', 'w-', '-', 'w-99999', 'q-auto', ''),
    fc.string({ unit: 'binary-ascii', maxLength: 8 }),
  );
  const format = fc.constantFrom('', '.webp', '.png', '.jpg', '.x', '.', '..', '.auto', '.5');
  await fc.assert(
    fc.asyncProperty(fc.array(token, { maxLength: 5 }), format, async (tokens, suffix) => {
      const name = encodeURIComponent(tokens.join('_') + suffix);
      const answer = await server.call(`/files/${bucket}/here/${name}`, { key: null });
      const isPicture = answer.headers.get('content-type')?.startsWith('image/') ?? false;
      const body: unknown = isPicture ? await answer.arrayBuffer() : await answer.json();
      assert.equal(answered({ status: answer.status, headers: answer.headers, body }, name), isPicture);
    }),
    { numRuns: 150 },
  );
});

test('nothing of all this was an error of ours, and the service is clean', async () => {
  assert.deepEqual(
    logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
    [],
  );
  // What is made of every upload afterwards writes files too.
  await prepared(server);
  await assertClean(server);
});
