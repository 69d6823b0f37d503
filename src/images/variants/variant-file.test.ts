import assert from 'node:assert/strict';
import { readFile, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { quarters, scratchFolder } from '../../../test/support/plain-quarters.ts';
import { decodeTrailer, encodeTrailer, readVariant, trailerBytes, writeVariant } from './variant-file.ts';

const sha256 = 'ab'.repeat(32);

test('the trailer says what was put in', () => {
  const facts = { size: 123_456_789, sha256, width: 8192, height: 1 };
  assert.deepEqual(decodeTrailer(encodeTrailer(facts)), facts);
  assert.equal(encodeTrailer(facts).length, trailerBytes);
});

test('a variant is read back with its facts, and leaves nothing else behind', async () => {
  await using scratch = await scratchFolder();
  const path = join(scratch.path, 'v.webp');
  const image = Buffer.from('not really an image');
  await writeVariant(path, image, { size: image.length, sha256, width: 3, height: 4 });
  const variant = await readVariant(path);
  assert.ok(variant);
  const { handle, usedAt, ...facts } = variant;
  assert.ok(Math.abs(usedAt - Date.now()) < 60_000);
  assert.deepEqual(facts, { size: image.length, sha256, width: 3, height: 4 });
  const { buffer } = await handle.read(Buffer.alloc(variant.size), 0, variant.size, 0);
  await handle.close();
  assert.deepEqual(buffer, image);
  assert.deepEqual(await readdir(scratch.path), ['v.webp']);
});

test('what is missing, torn or foreign is no variant', async () => {
  await using scratch = await scratchFolder();
  const path = join(scratch.path, 'v.webp');
  assert.equal(await readVariant(path), null);

  const image = Buffer.alloc(5000, 1);
  await writeVariant(path, image, { size: image.length, sha256, width: 3, height: 4 });
  const whole = await readFile(path);
  for (const length of [0, 10, trailerBytes, 2500, whole.length - 1]) {
    await truncate(path, length);
    assert.equal(await readVariant(path), null, `cut to ${length} bytes`);
    await writeFile(path, whole);
  }
  await writeFile(path, whole.subarray(100));
  assert.equal(await readVariant(path), null, 'beginning lost');
  await writeFile(path, Buffer.alloc(whole.length));
  assert.equal(await readVariant(path), null, 'zeros, as after a power loss');
});

test('a folder that was removed does not come back', async () => {
  await using scratch = await scratchFolder();
  const folder = join(scratch.path, 'gone');
  await assert.rejects(
    writeVariant(join(folder, 'v'), Buffer.from('x'), { size: 1, sha256, width: 1, height: 1 }),
  );
  await assert.rejects(stat(folder));
});

for (const format of ['webp', 'avif', 'jpeg', 'png', 'gif'] as const) {
  test(`a picture viewer shows a ${format} with its trailer`, async () => {
    await using scratch = await scratchFolder();
    const path = join(scratch.path, 'v');
    const image = await quarters(16, 12).toFormat(format).toBuffer();
    await writeVariant(path, image, { size: image.length, sha256, width: 16, height: 12 });
    const { info } = await sharp(path, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [16, 12]);
  });
}
