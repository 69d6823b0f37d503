// Orientations in every way they can be written, compared with what libvips makes of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exifOrientation } from './exif-orientation.ts';
import { assertAgreesWithSharp, noise } from '../../../test/support/walker-properties.ts';
import {
  exifSegment,
  exifWith,
  withSegments,
  type ExifOptions,
} from '../../../test/support/jpeg-and-webp-builders.ts';

test('every way to write an orientation is read as libvips reads it', async () => {
  const plain = await noise(40, 20).jpeg().toBuffer();
  const ways: ExifOptions[] = [
    {},
    { bigEndian: true },
    { directoryAt: 100 },
    { count: 0 },
    { count: 2 },
    { count: 3 },
  ];
  for (let type = 1; type <= 9; type += 1) ways.push({ type });
  for (const way of ways) {
    for (const orientation of [0, 1, 6, 8, 9]) {
      const jpeg = withSegments(plain, exifSegment(exifWith(orientation, way)));
      await assertAgreesWithSharp('image/jpeg', jpeg, JSON.stringify({ way, orientation }));
    }
  }
});

test('damaged EXIF means no orientation', () => {
  const good = exifWith(6);
  assert.equal(exifOrientation(good), 6);
  assert.equal(exifOrientation(good.subarray(0, 20)), 1);
  assert.equal(exifOrientation(Buffer.alloc(0)), 1);
  const wrongMagic = Buffer.from(good);
  wrongMagic[2] = 43;
  assert.equal(exifOrientation(wrongMagic), 1);
  const farDirectory = Buffer.from(good);
  farDirectory.writeUInt32LE(0xffff_ffff, 4);
  assert.equal(exifOrientation(farDirectory), 1);
  const manyEntries = Buffer.from(good);
  manyEntries.writeUInt16LE(0xffff, 8);
  assert.equal(exifOrientation(manyEntries), 6);
});

test('any bytes give an orientation from 1 to 8', () => {
  const anyBytes = fc
    .uint8Array({ maxLength: 60 })
    .map((bytes) => Buffer.concat([Buffer.from('II*\0'), bytes]));
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const orientation = exifOrientation(bytes);
      assert.ok(orientation >= 1 && orientation <= 8);
    }),
  );
});
