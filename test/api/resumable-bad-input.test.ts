// What a client of the protocol could get wrong, or send on purpose: always a clear refusal, and never a trace.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { assertClean, leavesNothing } from '../support/assert-clean.ts';
import { assertError, assertErrorShape } from '../support/assert-error.ts';
import { hostileStrings } from '../support/hostile-strings.ts';
import { picture } from '../support/pictures.ts';
import { head, openSocket, readAnswer, sendRaw } from '../support/raw-http.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { eventually } from '../support/eventually.ts';
import { storedFiles } from '../support/stored-parts.ts';
import { beginUpload, sendBytes, tusMetadata, tusRequest, type TusReply } from '../support/tus.ts';

let server: TestServer;
let file: Buffer;
before(async () => {
  server = await startServer({}, { bodyRate: { bytesPerSecond: 1024, windowMs: 500, checkEveryMs: 50 } });
  file = await picture(64, 48);
});
after(async () => {
  await assertClean(server);
  await server.stop();
});

const begin = (headers: Record<string, string>): Promise<TusReply> =>
  tusRequest(server, '/upload/resumable', { method: 'POST', headers });
const rows = () => server.app.core.database.read.selectFrom('resumable_uploads').selectAll().execute();

describe('a beginning', () => {
  test('needs a length that is one', async () => {
    const wrong = [
      '',
      '-1',
      '1.5',
      '1e3',
      '0x10',
      '+5',
      '007',
      'ten',
      '9'.repeat(30),
      '10, 10',
      'NaN',
      ' 1 2',
    ];
    for (const length of wrong) assertError(await begin({ 'Upload-Length': length }), 400);
    assertError(await begin({}), 400);
    assertError(await begin({ 'Upload-Length': '0' }), 400, { code: 'file_empty' });
    assertError(await begin({ 'Upload-Length': String(Number.MAX_SAFE_INTEGER) }), 413);
    assertError(await begin({ 'Upload-Defer-Length': '1' }), 400, { message: /length of the upload/ });
    assertError(await begin({ 'Upload-Defer-Length': '1', 'Upload-Length': '5' }), 400);
    assertError(await begin({ 'Upload-Length': '5', 'Upload-Concat': 'partial' }), 400, {
      message: /parallel/,
    });
    assert.deepEqual(await rows(), []);
  });

  test('needs the version of the protocol', async () => {
    for (const version of ['', '0.2.2', '2.0.0', '1.0']) {
      const answer = await begin({ 'Tus-Resumable': version, 'Upload-Length': '5' });
      assertError(answer, 412, { code: 'tus_version' });
      assert.equal(answer.headers.get('tus-version'), '1.0.0');
    }
  });

  test('with metadata that cannot be read is refused', async () => {
    for (const value of [
      'filename !!!',
      'filename YQ',
      'a YQ==,a YQ==',
      ',',
      'filename  YQ==',
      'ä YQ==',
      '__proto__ YQ==',
    ])
      assertError(
        await sendRaw(
          server,
          Buffer.from(
            head('POST', '/upload/resumable', {
              'Tus-Resumable': '1.0.0',
              'Upload-Length': 5,
              'Upload-Metadata': value,
              Connection: 'close',
            }),
          ),
        ),
        400,
        { code: 'bad_request' },
      );
  });

  test('with fields an upload could not have is refused as there', async () => {
    const cases: [Record<string, string | Buffer>, string][] = [
      [{ object: '../x' }, 'invalid_object_id'],
      [{ object: 'search' }, 'invalid_object_id'],
      [{ folder: 'a/../b' }, 'bad_request'],
      [{ folder: 'a\u0000b' }, 'bad_request'],
      [{ tags: 'a\u0000b' }, 'bad_request'],
      [{ tags: 'x'.repeat(101) }, 'bad_request'],
    ];
    for (const [metadata, code] of cases)
      assertError(await beginUpload(server, 10, { metadata }), 400, { code });
    assert.deepEqual(await rows(), []);
  });

  test('with any text in any field is refused, or its upload works', async () => {
    const names = ['filename', 'tags', 'folder', 'object', 'filetype', 'colour'];
    // Longer heads are refused by the server itself.
    const texts = hostileStrings().filter((text) => Buffer.byteLength(text) < 3000);
    for (const text of texts) await Promise.all(names.map((name) => tryMetadata({ [name]: text })));
  });

  test('may name a name that is no text: it becomes one', async () => {
    const { url } = await beginUpload(server, file.length, {
      metadata: { filename: Buffer.from([0xff, 0, 0x41]) },
    });
    const { body } = await sendBytes(server, url, file);
    assert.equal(body.original_file_name, '\ufffdA');
  });

  test('of a huge file takes no room before its bytes come', async () => {
    const begun = await beginUpload(server, 2 * 1024 ** 3);
    assert.equal(begun.status, 201);
    assert.deepEqual(await storedFiles(server, 'part-'), []);
    await tusRequest(server, begun.url, { method: 'DELETE' });
  });
});

async function tryMetadata(metadata: Record<string, string>): Promise<void> {
  const begun = await beginUpload(server, file.length, { metadata });
  if (begun.status !== 201) return assertErrorShape(begun);
  const { headers } = await tusRequest(server, begun.url);
  assert.equal(headers.get('upload-metadata'), tusMetadata(metadata).trimEnd());
  assert.equal((await tusRequest(server, begun.url, { method: 'DELETE' })).status, 204);
}

describe('bytes', () => {
  let url: string;
  before(async () => ({ url } = await beginUpload(server, file.length)));
  const patch = (headers: Record<string, string>, body = file): Promise<TusReply> =>
    tusRequest(server, url, { method: 'PATCH', headers, body });
  const offset = async (): Promise<string | null> =>
    (await tusRequest(server, url)).headers.get('upload-offset');

  test('must say where they begin, and that must be where the upload stands', async () => {
    assertError(await patch({}), 400);
    for (const wrong of ['', '-1', '1.5', '1e1', 'x', '00'])
      assertError(await patch({ 'Upload-Offset': wrong }), 400);
    for (const wrong of ['1', String(file.length), String(Number.MAX_SAFE_INTEGER)])
      assertError(await patch({ 'Upload-Offset': wrong }), 409, { code: 'offset_conflict' });
    assert.equal(await offset(), '0');
  });

  test('must be called what they are', async () => {
    for (const type of [
      '',
      'application/json',
      'application/octet-stream',
      'multipart/form-data; boundary=x',
    ])
      assertError(await patch({ 'Upload-Offset': '0', 'Content-Type': type }), 415, {
        code: 'not_offset_stream',
      });
  });

  test('must not be more than were said, with a length or without one', async () => {
    const more = Buffer.concat([file, Buffer.from('x')]);
    assertError(await patch({ 'Upload-Offset': '0' }, more), 413);
    const chunked = `${more.length.toString(16)}\r\n${more.toString('latin1')}\r\n0\r\n\r\n`;
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': 0,
      'Transfer-Encoding': 'chunked',
      Connection: 'close',
    };
    const request = Buffer.from(head('PATCH', new URL(url).pathname, headers) + chunked, 'latin1');
    assertError(await sendRaw(server, request), 413);
    assert.deepEqual(await storedFiles(server, 'part-'), []);
    assert.equal(await offset(), '0');
  });

  test('must not trickle; those that came before are kept', async () => {
    const socket = await openSocket(server);
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': 0,
      'Content-Length': file.length,
    };
    socket.write(head('PATCH', new URL(url).pathname, headers));
    socket.write(file.subarray(0, 100));
    assertError(await readAnswer(socket), 408, { code: 'body_too_slow' });
    socket.destroy();
    assert.equal(await offset(), '100');
  });

  test('may come in at most ten thousand pieces', async () => {
    const { database } = server.app.core;
    const uploadId = new URL(url).pathname.split('/').at(-1) as string;
    await database.write((tx) =>
      tx.updateTable('resumable_uploads').set({ parts: 10_000 }).where('upload_id', '=', uploadId).execute(),
    );
    assertError(await patch({ 'Upload-Offset': '100' }, file.subarray(100)), 400, { message: /larger ones/ });
    assert.equal((await tusRequest(server, url, { method: 'DELETE' })).status, 204);
  });
});

test('addresses of uploads nobody has begun are not found, whatever they are', async () => {
  for (const id of [
    '0'.repeat(32),
    'x',
    '%00',
    '..%2f..%2fetc',
    'a%2fb',
    '%ff',
    'constructor',
    'x'.repeat(3000),
  ]) {
    const path = `/upload/resumable/${id}`;
    const answers = [
      await tusRequest(server, path, { method: 'DELETE' }),
      await sendBytes(server, path, file),
      await server.json(path),
    ];
    for (const answer of answers) assertError(answer, 404);
    assert.equal((await tusRequest(server, path)).status, 404);
  }
});

test('a lie about the length of a body is found, and what came is kept', async () => {
  await leavesNothing(server, async () => {
    const { url } = await beginUpload(server, file.length);
    const socket = await openSocket(server);
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': 0,
      'Content-Length': file.length,
    };
    socket.write(head('PATCH', new URL(url).pathname, headers) + 'short');
    // Until it is read, a body goes with its line.
    await pause(300);
    socket.end();
    await readAnswer(socket).catch(() => undefined);
    // What came is written down after the line is gone.
    await eventually(async () =>
      assert.equal((await tusRequest(server, url)).headers.get('upload-offset'), '5'),
    );
    await tusRequest(server, url, { method: 'DELETE' });
  });
});
