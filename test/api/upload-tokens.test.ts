// One-time tokens: one upload each, on the terms that were fixed, from any web page.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hash } from 'node:crypto';
import { newAccount, newKey, sendJson, type TestAccount } from '../support/accounts.ts';
import { assertClean, assertConsistent, leavesNothing } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { makeFilm } from '../support/films.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { storedFiles } from '../support/stored-parts.ts';
import { beginUpload, sendBytes, tusRequest, tusUpload } from '../support/tus.ts';

let server: TestServer;
let account: TestAccount;
let file: Buffer;
before(async () => {
  server = await startServer();
  account = await newAccount(server);
  file = await picture(64, 48);
});
after(async () => {
  await assertClean(server);
  await server.stop();
});

async function sign(terms: object = {}, key = account.api_key): Promise<string> {
  const { status, body } = await server.json('/upload/sign', { ...sendJson('POST', terms), key });
  assert.equal(status, 200, JSON.stringify(body));
  return body.token as string;
}
const alter = (token: string, change: { expires_at: number }) =>
  server.app.core.database.write((tx) =>
    tx.updateTable('upload_tokens').set(change).where('token_hash', '=', hash('sha256', token)).execute(),
  );

describe('a token', () => {
  test('is told with where it goes, and until when', async () => {
    const { body } = await server.json('/upload/sign', { ...sendJson('POST', {}), key: account.api_key });
    assert.deepEqual(Object.keys(body).sort(), ['expires_at', 'resumable_url', 'token', 'upload_url']);
    assert.match(body.token, /^ttu_[\w-]{43}$/);
    assert.equal(body.upload_url, `${server.url}/upload/`);
    assert.equal(body.resumable_url, `${server.url}/upload/resumable`);
    assert.ok(Math.abs(Date.parse(body.expires_at) - Date.now() - 900_000) < 10_000);
  });

  test('is asked for in the right way', async () => {
    for (const terms of [
      { expires_in: 0 },
      { expires_in: 86_401 },
      { expires_in: '5' },
      { max_bytes: 0 },
      { max_bytes: 1.5 },
      { type: 'audio' },
      { folder: 'a/../b' },
      { object: '../x' },
      { tags: 5 },
      { tags: ['a\u0000'] },
      { colour: 'blue' },
    ])
      assertError(
        await server.json('/upload/sign', { ...sendJson('POST', terms), key: account.api_key }),
        400,
      );
  });

  test('makes one upload, and then no other', async () => {
    const key = await sign();
    assert.equal((await server.upload(file, {}, { key })).status, 200);
    assertError(await server.upload(file, {}, { key }), 401, { code: 'invalid_api_key' });
    assertError(await beginUpload(server, file.length, { key }), 401);
  });

  test('is not spent by an upload that fails', async () => {
    const key = await sign({ object: 'tried-again' });
    assertError(await leavesNothing(server, () => server.upload(Buffer.from('x'), {}, { key })), 415);
    assertError(await server.upload(file.subarray(0, -9), {}, { key }), 422);
    assert.equal((await server.upload(file, {}, { key })).status, 200);
  });

  test('is spent once, however many come with it at once', async () => {
    for (let round = 0; round < 5; round++) {
      const key = await sign();
      const { url } = await beginUpload(server, file.length, { key });
      const answers = await Promise.all([
        ...Array.from({ length: 5 }, () => server.upload(file, {}, { key })),
        sendBytes(server, url, file, { key }),
      ]);
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      for (const answer of answers) if (answer.status !== 200) assert.ok([401, 409].includes(answer.status));
      await eventually(() => assertConsistent(server));
      assert.deepEqual(await storedFiles(server, 'part-'), []);
    }
  });

  test('lasts as long as it was said, and its upload as long as it takes', async () => {
    const key = await sign({ expires_in: 60 });
    const { url } = await beginUpload(server, file.length, { key });
    await alter(key, { expires_at: Date.now() - 1 });
    assertError(await server.upload(file, {}, { key }), 401);
    assertError(await beginUpload(server, file.length, { key }), 401);
    const { status, body } = await sendBytes(server, url, file, { key });
    assert.equal(status, 200);
    assert.deepEqual((await server.json(url, { key })).body, body, 'and what became of it can be asked');
  });

  test('dies with its key', async () => {
    const made = await newKey(server, account.api_key, {});
    const key = await sign({}, made.api_key);
    const { url } = await beginUpload(server, file.length, { key });
    await server.json(`/keys/${made.key_id}`, { method: 'DELETE', key: account.api_key });
    assertError(await server.upload(file, {}, { key }), 401);
    assertError(await sendBytes(server, url, file, { key }), 401);
    await tusRequest(server, url, { method: 'DELETE', key: account.api_key });
  });

  test('opens nothing else', async () => {
    const key = await sign();
    const { url } = await beginUpload(server, file.length, { key: account.api_key });
    assertError(await sendBytes(server, url, file, { key }), 404, { code: 'upload_not_found' });
    for (const path of ['/user/', '/get/', '/keys/', '/get/x'])
      assertError(await server.json(path, { key }), 401);
    for (const path of ['/upload/sign', '/upload/url', '/bulk/'])
      assertError(await server.json(path, { ...sendJson('POST', {}), key }), 401);
    await tusRequest(server, url, { method: 'DELETE', key: account.api_key });
  });

  test('has one resumable upload at a time', async () => {
    const key = await sign();
    const first = await beginUpload(server, file.length, { key });
    const second = await beginUpload(server, file.length, { key });
    assertError(await sendBytes(server, first.url, file, { key }), 404);
    assert.equal((await sendBytes(server, second.url, file, { key })).status, 200);
  });

  test('does not lead to answers kept for others', async () => {
    const headers = { 'Idempotency-Key': 'shared' };
    await server.upload(file, { object: 'kept-answer' }, { key: account.api_key, headers });
    const { body } = await server.upload(file, {}, { key: await sign(), headers });
    assert.notEqual(body.object_id, 'kept-answer');
  });
});

describe('what a token fixes', () => {
  const terms = { folder: '/inbox/', tags: ['a', 'b'], object: 'fixed' };

  test('stands, whatever way the file comes', async () => {
    const { body } = await server.upload(file, {}, { key: await sign(terms) });
    assert.deepEqual([body.object_id, body.folder, body.tags], ['fixed', 'inbox', ['a', 'b']]);
    const resumable = await tusUpload(`${server.url}/upload/resumable`, file, {
      key: await sign({ ...terms, object: 'fixed-too' }),
      metadata: { filename: 'x.jpg', folder: 'inbox' },
    });
    assert.deepEqual([resumable.body.object_id, resumable.body.folder], ['fixed-too', 'inbox']);
  });

  test('cannot be sent otherwise, only the same', async () => {
    const key = await sign({ ...terms, object: 'fixed-three' });
    for (const fields of [{ folder: 'other' }, { tags: 'b,a' }, { object: 'other' }]) {
      const name = Object.keys(fields)[0] as string;
      const answer = await leavesNothing(server, () => server.upload(file, fields as never, { key }));
      assertError(answer, 400, { message: new RegExp(`token fixes "${name}"`) });
      assertError(await beginUpload(server, 10, { key, metadata: fields as never }), 400);
    }
    const same = { folder: 'inbox', tags: 'a, b', object: 'fixed-three' };
    assert.equal((await server.upload(file, same, { key })).status, 200);
  });

  test('leaves the rest to the uploader', async () => {
    const { body } = await server.upload(file, { tags: 'mine' }, { key: await sign({ folder: 'in' }) });
    assert.deepEqual([body.folder, body.tags], ['in', ['mine']]);
  });

  test('may be the size and the kind of the file', async () => {
    const small = await sign({ max_bytes: file.length - 1 });
    const message = `File too large (maximum ${file.length - 1} bytes)`;
    assertError(await server.upload(file, {}, { key: small }), 413, { message });
    assertError(await beginUpload(server, file.length, { key: small }), 413, { message });
    assert.equal(
      (await server.upload(file, {}, { key: await sign({ max_bytes: file.length }) })).status,
      200,
    );
    const film = makeFilm({ container: 'mp4', seconds: 1, width: 64, height: 48 });
    const images = await sign({ type: 'image' });
    assertError(await server.upload(film, {}, { key: images }), 415, { message: /for images only/ });
    const { url } = await beginUpload(server, film.length, { key: images });
    assertError(await sendBytes(server, url, film, { key: images }), 415, { message: /for images only/ });
    assert.equal((await server.upload(file, {}, { key: images })).status, 200);
  });
});

describe('a web page of any origin', () => {
  const origin = { Origin: 'https://shop.example' };
  const preflight = { ...origin, 'Access-Control-Request-Method': 'PATCH' };
  const allowed = (headers: Headers): string | null => headers.get('access-control-allow-origin');

  test('may upload with a token, and read the answers, also the refusals', async () => {
    const key = await sign();
    for (const path of ['/upload/', '/v1/upload', '/upload/resumable', '/upload/resumable/x']) {
      const { status, headers } = await server.call(path, {
        method: 'OPTIONS',
        headers: preflight,
        key: null,
      });
      assert.deepEqual([status, allowed(headers)], [204, '*'], path);
      assert.match(headers.get('access-control-allow-methods') ?? '', /HEAD, POST, PATCH, DELETE/);
      for (const name of [
        'Authorization',
        'Tus-Resumable',
        'Upload-Offset',
        'Upload-Metadata',
        'Content-Type',
      ])
        assert.match(headers.get('access-control-allow-headers') ?? '', new RegExp(`\\b${name}\\b`));
      assert.equal(headers.get('access-control-allow-credentials'), null);
    }
    const begun = await tusRequest(server, '/upload/resumable', {
      method: 'POST',
      key,
      headers: { ...origin, 'Upload-Length': String(file.length) },
    });
    assert.equal(allowed(begun.headers), '*');
    for (const name of ['Location', 'Upload-Offset', 'Upload-Expires', 'X-Error-Code'])
      assert.match(begun.headers.get('access-control-expose-headers') ?? '', new RegExp(`\\b${name}\\b`));
    const refused = await server.upload(Buffer.from('x'), {}, { key, headers: origin });
    assert.deepEqual([refused.status, allowed(refused.headers)], [415, '*']);
    const spoilt = await server.upload(file, {}, { key: `${key}x`, headers: origin });
    assert.deepEqual([spoilt.status, allowed(spoilt.headers)], [401, '*']);
  });

  test('may not read answers to a key, nor call anything else', async () => {
    const stored = await server.upload(file, {}, { key: account.api_key, headers: origin });
    assert.equal(allowed(stored.headers), null);
    for (const path of ['/user/', '/upload/sign', '/upload/url', '/get/']) {
      const { status, headers } = await server.call(path, {
        method: 'OPTIONS',
        headers: preflight,
        key: null,
      });
      assert.deepEqual([status, allowed(headers)], [405, null], path);
    }
  });
});

test('an origin the operator names may use the protocol with a key', async () => {
  await using named = await startServer({ API_CORS_ORIGINS: 'https://app.example' });
  const origin = { Origin: 'https://app.example' };
  const begun = await tusRequest(named, '/upload/resumable', {
    method: 'POST',
    headers: { ...origin, 'Upload-Length': '10' },
  });
  assert.equal(begun.headers.get('access-control-allow-origin'), 'https://app.example');
  assert.match(begun.headers.get('access-control-expose-headers') ?? '', /\bLocation\b.*\bUpload-Offset\b/);
  const { headers } = await named.call('/upload/resumable/x', {
    method: 'OPTIONS',
    headers: { ...origin, 'Access-Control-Request-Method': 'PATCH' },
    key: null,
  });
  assert.equal(headers.get('access-control-allow-origin'), 'https://app.example');
  assert.match(headers.get('access-control-allow-headers') ?? '', /\bUpload-Offset\b/);
});
