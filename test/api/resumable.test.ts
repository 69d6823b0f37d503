// Resumable uploads: by a client people use, and request by request.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { partBytes } from '../../src/objects/uploads/receive-parts.ts';
import { newAccount } from '../support/accounts.ts';
import { assertClean, assertConsistent } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { makeFilm } from '../support/films.ts';
import { picture } from '../support/pictures.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';
import { begunParts, storedFiles, storedPartBytes } from '../support/stored-parts.ts';
import { beginUpload, sendBytes, tusRequest, tusUpload } from '../support/tus.ts';

let server: TestServer;
let file: Buffer;
/** With bytes after the picture, so that it comes in several parts. */
let large: Buffer;
before(async () => {
  server = await startServer();
  file = await picture(320, 200);
  large = Buffer.concat([file, Buffer.alloc(2 * partBytes + 1000, 'x')]);
});
after(async () => {
  await assertClean(server);
  assert.deepEqual(await storedFiles(server, 'part-'), [], 'no part is left');
  await server.stop();
});

const endpoint = (): string => `${server.url}/upload/resumable`;
const bytesAt = async (url: string): Promise<Buffer> =>
  Buffer.from(await (await server.call(url, { key: null })).arrayBuffer());

describe('a client of the protocol', () => {
  test('uploads in one piece, and the last answer is that of every upload', async () => {
    const metadata = { filename: 'Sea side.jpg', tags: ' a, b ,,a', folder: '/trips/', object: 'by-tus' };
    const { status, body } = await tusUpload(endpoint(), file, { metadata });
    assert.equal(status, 200);
    const { body: plain } = await server.upload(file);
    assert.deepEqual(Object.keys(body).sort(), Object.keys(plain).sort());
    assert.deepEqual(
      [body.object_id, body.tags, body.folder, body.original_file_name, body.width, body.height],
      ['by-tus', ['a', 'b'], 'trips', 'Sea side.jpg', 320, 200],
    );
    assert.deepEqual(await bytesAt(body.original), file);
  });

  test('uploads in small pieces', async () => {
    const { body } = await tusUpload(endpoint(), file, { chunkSize: 1000 });
    assert.deepEqual(await bytesAt(body.original), file);
  });

  test('uploads what takes several parts', async () => {
    const { body } = await tusUpload(endpoint(), large);
    assert.deepEqual(await bytesAt(body.original), large);
  });

  test('sends the first bytes with the creation, or all of them', async () => {
    const whole = await tusUpload(endpoint(), file, { uploadDataDuringCreation: true });
    assert.equal(whole.status, 201);
    assert.equal(whole.body.width, 320);
    const some = await tusUpload(endpoint(), file, { uploadDataDuringCreation: true, chunkSize: 2000 });
    assert.equal(some.status, 200);
  });

  test('uploads a film, whose id gets its prefix', async () => {
    const film = makeFilm({ container: 'mp4', seconds: 1, width: 64, height: 48 });
    const { body } = await tusUpload(endpoint(), film, {
      metadata: { object: 'clip', filetype: 'video/mp4' },
    });
    assert.equal(body.object_id, 'vid-clip');
    assert.match(body.video_url, /original\.m3u8$/);
  });

  test('finds everything at /v1/ and with a slash at the end too', async () => {
    assert.equal((await tusUpload(`${server.url}/v1/upload/resumable/`, file)).status, 200);
  });
});

describe('an upload request by request', () => {
  test('says where it stands, until when, and what it was told', async () => {
    const begun = await beginUpload(server, file.length, { metadata: { filename: 'a.jpg', colour: 'blue' } });
    assert.equal(begun.status, 201);
    assert.match(begun.url, new RegExp(`^${RegExp.escape(endpoint())}/[0-9a-f]{32}$`));
    assert.equal(begun.headers.get('tus-resumable'), '1.0.0');
    const plain = await beginUpload(server, 5);
    assert.equal((await tusRequest(server, plain.url)).headers.get('upload-metadata'), null);
    await tusRequest(server, plain.url, { method: 'DELETE' });
    assert.deepEqual([begun.body.upload_url, begun.body.offset], [begun.url, 0]);
    const sent = await sendBytes(server, begun.url, file.subarray(0, 100));
    assert.deepEqual([sent.status, sent.headers.get('upload-offset'), sent.body], [204, '100', null]);
    const { status, headers } = await tusRequest(server, begun.url);
    assert.equal(status, 200);
    assert.equal(headers.get('upload-offset'), '100');
    assert.equal(headers.get('upload-length'), String(file.length));
    assert.equal(headers.get('upload-metadata'), 'filename YS5qcGc=,colour Ymx1ZQ==');
    assert.equal(headers.get('cache-control'), 'no-store');
    const expires = Date.parse(headers.get('upload-expires') as string);
    assert.ok(Math.abs(expires - Date.now() - 24 * 3600 * 1000) < 60_000);
    assertError(await server.json(begun.url), 409, { code: 'upload_unfinished' });
    const last = await sendBytes(server, begun.url, file.subarray(100), { offset: 100 });
    assert.equal(last.status, 200);
    assert.deepEqual((await server.json(begun.url)).body, last.body);
    const after = await tusRequest(server, begun.url);
    assert.deepEqual(
      [after.headers.get('upload-offset'), after.headers.get('upload-expires')],
      [String(file.length), null],
    );
    const again = await sendBytes(server, begun.url, Buffer.alloc(0), { offset: file.length });
    assert.deepEqual([again.status, again.body], [200, last.body], 'the last request may be repeated');
  });

  test('OPTIONS tells what is supported, without a key', async () => {
    const { status, headers } = await tusRequest(server, '/upload/resumable', {
      method: 'OPTIONS',
      key: null,
    });
    assert.equal(status, 204);
    assert.equal(headers.get('tus-version'), '1.0.0');
    assert.equal(headers.get('tus-extension'), 'creation,creation-with-upload,termination,expiration');
  });

  test('can be given up', async () => {
    const { url } = await beginUpload(server, large.length);
    await sendBytes(server, url, large.subarray(0, partBytes + 5));
    assert.equal((await storedFiles(server, 'part-')).length, 2);
    assert.equal((await tusRequest(server, url, { method: 'DELETE' })).status, 204);
    assert.deepEqual(await storedFiles(server, 'part-'), []);
    assert.equal((await tusRequest(server, url)).status, 404);
    assertError(await sendBytes(server, url, file, { offset: partBytes + 5 }), 404, {
      code: 'upload_not_found',
    });
    assertError(await server.json(url), 404, { code: 'upload_not_found' });
    assertError(await tusRequest(server, url, { method: 'DELETE' }), 404);
  });

  test('what comes before the line breaks is kept', async () => {
    const { url } = await beginUpload(server, large.length);
    const sentBytes = partBytes + 300_000;
    const sending = patch(url, large.length);
    // What this process still held would never be sent.
    await new Promise((resolve) => sending.write(large.subarray(0, sentBytes), resolve));
    await eventually(async () => assert.ok((await begunParts(server)) === 2));
    sending.destroy();
    // Whoever asked before all had come would end the request, and the rest would be on its way to nobody.
    await eventually(async () => assert.equal(await storedPartBytes(server), sentBytes));
    const { headers } = await tusRequest(server, url);
    assert.equal(headers.get('upload-offset'), String(sentBytes));
    const rest = await sendBytes(server, url, large.subarray(sentBytes), { offset: sentBytes });
    assert.deepEqual(await bytesAt(rest.body.original), large);
  });

  test('whoever asks where it stands ends a request that is still sending, and nothing of that is lost', async () => {
    const { url } = await beginUpload(server, large.length);
    const sending = patch(url, large.length);
    const refused = once(sending, 'response');
    sending.write(large.subarray(0, 500_000));
    await eventually(async () => assert.ok((await begunParts(server)) === 1));
    const { headers } = await tusRequest(server, url);
    const offset = Number(headers.get('upload-offset'));
    assert.ok(offset > 0 && offset <= 500_000);
    assert.equal((await refused)[0].statusCode, 409);
    sending.destroy();
    const rest = await sendBytes(server, url, large.subarray(offset), { offset });
    assert.deepEqual(await bytesAt(rest.body.original), large);
  });

  test('of two requests that send the same bytes at once, one counts', async () => {
    for (let round = 0; round < 5; round++) {
      const { url } = await beginUpload(server, file.length);
      const answers = await Promise.all(Array.from({ length: 4 }, () => sendBytes(server, url, file)));
      const stored = answers.filter(({ status }) => status === 200).map(({ body }) => body);
      for (const answer of answers.filter(({ status }) => status !== 200))
        assertError(answer, 409, { code: 'offset_conflict' });
      // They may also have stopped each other on the way.
      const { headers } = await tusRequest(server, url);
      const offset = Number(headers.get('upload-offset'));
      stored.push((await sendBytes(server, url, file.subarray(offset), { offset })).body);
      assert.equal(new Set(stored.map((body) => body.object_id)).size, 1);
    }
    await eventually(() => assertConsistent(server));
  });

  test('many ask for the end of one upload at once, and there is one object', async () => {
    const { url } = await beginUpload(server, file.length);
    await sendBytes(server, url, file.subarray(0, -1));
    const [last, ...looks] = await Promise.all([
      sendBytes(server, url, file.subarray(-1), { offset: file.length - 1 }),
      ...Array.from({ length: 5 }, () => tusRequest(server, url)),
    ]);
    assert.ok([200, 409].includes(last.status));
    for (const { status } of looks) assert.equal(status, 200);
    await eventually(() => assertConsistent(server));
    await server.call(url, { method: 'DELETE', headers: { 'Tus-Resumable': '1.0.0' } });
  });
});

describe('a file that is refused', () => {
  test('is refused by the answer to its last bytes, again by whatever asks later, and leaves nothing', async () => {
    const cases: [Buffer, number, string][] = [
      [Buffer.from('<html>not a picture</html>'), 415, 'unsupported_type'],
      [file.subarray(0, -20), 422, 'undecodable'],
    ];
    for (const [bytes, status, code] of cases) {
      const { url } = await beginUpload(server, bytes.length);
      assertError(await sendBytes(server, url, bytes), status, { code });
      assertError(await server.json(url), status, { code });
      assert.equal((await tusRequest(server, url)).status, status);
      assertError(await sendBytes(server, url, Buffer.alloc(0), { offset: bytes.length }), status, { code });
      assert.deepEqual(await storedFiles(server, 'part-'), []);
    }
  });

  test('for its id is refused at the beginning, or at the end when another was faster', async () => {
    const taken = await beginUpload(server, file.length, {
      metadata: { object: 'once', filetype: 'image/jpeg' },
    });
    await server.upload(file, { object: 'once' });
    const late = await beginUpload(server, file.length, {
      metadata: { object: 'once', filetype: 'image/jpeg' },
    });
    assertError(late, 409, { code: 'object_id_in_use' });
    assertError(await sendBytes(server, taken.url, file), 409, { code: 'object_id_in_use' });
    const film = await beginUpload(server, 1000, { metadata: { object: 'once' } });
    assert.equal(film.status, 201, 'a film may have it, with the prefix');
    await tusRequest(server, film.url, { method: 'DELETE' });
  });

  test('for the limits of its account is refused at the beginning, or exactly at the end', async () => {
    const storage_limit = (file.length * 1.5) / 1024;
    const { api_key: key } = await newAccount(server, {
      tier: 'free',
      storage_limit,
      video_minutes_limit: 0,
    });
    const metadata = { filetype: 'image/jpeg' };
    assertError(await beginUpload(server, file.length * 2, { key, metadata }), 403, {
      code: 'storage_limit_exceeded',
    });
    assertError(await beginUpload(server, 26 * 1024 * 1024, { key, metadata }), 413, {
      message: 'File too large (maximum 25 MB)',
    });
    assertError(await beginUpload(server, 501 * 1024 * 1024, { key }), 413, {
      message: 'File too large (maximum 500 MB)',
    });
    assertError(await beginUpload(server, 1000, { key, metadata: { filetype: 'video/mp4' } }), 403, {
      code: 'video_limit_exceeded',
    });
    const two = [
      await beginUpload(server, file.length, { key }),
      await beginUpload(server, file.length, { key }),
    ];
    const ends = await Promise.all(two.map(({ url }) => sendBytes(server, url, file, { key })));
    assert.deepEqual(new Set(ends.map(({ status }) => status)), new Set([200, 403]));
    await eventually(() => assertConsistent(server));
  });

  test('an account has a bounded number of unfinished ones', async () => {
    const { api_key: key } = await newAccount(server, { tier: 'free', rate_limit_per_minute: 10_000 });
    const urls: string[] = [];
    for (let count = 0; count < 100; count++) urls.push((await beginUpload(server, 10, { key })).url);
    assertError(await beginUpload(server, 10, { key }), 409, { code: 'too_many_uploads' });
    await tusRequest(server, urls[0] as string, { method: 'DELETE', key });
    assert.equal((await beginUpload(server, 10, { key })).status, 201);
  });
});

test('an upload of another account is not there', async () => {
  const { url } = await beginUpload(server, file.length);
  const { api_key: key } = await newAccount(server);
  const other = { key };
  assert.equal((await tusRequest(server, url, other)).status, 404);
  assertError(await sendBytes(server, url, file, other), 404, { code: 'upload_not_found' });
  assertError(await tusRequest(server, url, { method: 'DELETE', ...other }), 404);
  assertError(await server.json(url, other), 404);
  assert.equal((await sendBytes(server, url, file)).status, 200, 'and its owner finds it untouched');
});

/** A request that says it will bring all from the first byte on, and leaves it to the test what it brings. */
function patch(url: string, length: number) {
  const sending = request(url, {
    method: 'PATCH',
    headers: {
      Authorization: `Bearer ${operatorKey}`,
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': length,
      'Upload-Offset': 0,
    },
  });
  sending.on('error', () => undefined);
  return sending;
}
