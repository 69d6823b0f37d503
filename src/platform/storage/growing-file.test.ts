import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { GrowingFile } from './growing-file.ts';

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-growing-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}
const never = (): Promise<never> => Promise.reject(new Error('Asked for another source'));
const descriptors = async (): Promise<number> => (await readdir('/proc/self/fd')).length;

test('it is read while it grows, by all who ask, and after it was moved', async (t) => {
  const path = join(await folderFor(t), 'file');
  const stream = new PassThrough();
  const file = await GrowingFile.begin(path, { sizeBytes: 11, stream, again: never });
  const readers = [file.read()!, file.read()!];
  const firstPiece = new Promise<Buffer>((resolve) => readers[0]!.once('data', resolve));
  stream.write('hello ');
  assert.equal(String(await firstPiece), 'hello ');
  stream.end('world');
  await file.done;
  await rename(path, `${path}-moved`);
  assert.equal(String(await buffer(readers[1]!)), 'hello world');
  assert.equal(await readFile(`${path}-moved`, 'utf8'), 'hello world');
});

test('the last byte is held back until the source ended well', async (t) => {
  const path = join(await folderFor(t), 'file');
  const source = new PassThrough();
  const failing = async (): Promise<Readable> => {
    throw new Error('gone for good');
  };
  const file = await GrowingFile.begin(path, { sizeBytes: 5, stream: source, again: failing });
  const seen: Buffer[] = [];
  const reader = file.read()!.on('data', (chunk: Buffer) => seen.push(chunk));
  const ended = new Promise<unknown>((resolve) => reader.once('error', resolve));
  source.write('12345');
  source.destroy(new Error('other bytes than were stored'));
  await assert.rejects(file.done);
  assert.ok(await ended);
  assert.ok(Buffer.concat(seen).length < 5);
});

test('a source that breaks off is followed by another, from where the first ended', async (t) => {
  const path = join(await folderFor(t), 'file');
  const sources = ['12', '1234', '123456'].map((text, index) =>
    Readable.from(
      (async function* () {
        yield Buffer.from(text);
        if (index < 2) throw new Error('broken off');
      })(),
    ),
  );
  const stream = sources.shift()!;
  const file = await GrowingFile.begin(path, { sizeBytes: 6, stream, again: async () => sources.shift()! });
  assert.equal(String(await buffer(file.read()!)), '123456');
  await file.done;
  assert.equal(sources.length, 0);
});

test('readers that go away, before or after the end, leave no descriptor', async (t) => {
  const folder = await folderFor(t);
  const before = await descriptors();
  for (let round = 0; round < 10; round += 1) {
    const stream = new PassThrough();
    const file = await GrowingFile.begin(join(folder, String(round)), { sizeBytes: 3, stream, again: never });
    file.read()!.destroy();
    const halfRead = file.read()!;
    stream.end('abc');
    for await (const chunk of halfRead) {
      assert.ok(chunk);
      break;
    }
    await file.done;
    await buffer(file.read() ?? Readable.from([]));
  }
  for (let look = 0; look < 50 && (await descriptors()) > before; look += 1) await new Promise(setImmediate);
  assert.ok((await descriptors()) <= before);
});
