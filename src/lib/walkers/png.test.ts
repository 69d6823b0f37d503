// PNGs by sharp and by hand: facts as sharp finds them, bombs refused from the header.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createImageWalker, walkWholeImage } from '../walk-image.ts';
import {
  assertAgreesWithSharp,
  assertFault,
  noise,
  testWalker,
  type Pictures,
} from '../../../test/support/walker-properties.ts';
import { exifWith } from '../../../test/support/jpeg-and-webp-builders.ts';
import {
  pngBomb,
  pngChunk,
  pngHeader,
  pngHeaderOnly,
  pngSignature,
} from '../../../test/support/png-and-gif-builders.ts';

const PNG = 'image/png';
const HEADER_END = 33;
const plain = await noise(40, 20).png().toBuffer();

await testWalker(PNG, async () => {
  const pictures: Pictures = {
    plain,
    alpha: await noise(30, 10, 4).png().toBuffer(),
    interlaced: await noise(31, 17).png({ progressive: true }).toBuffer(),
    palette: await noise(20, 20).png({ palette: true }).toBuffer(),
    'palette with transparency': await noise(20, 20, 4).png({ palette: true }).toBuffer(),
    grey: await noise(20, 30).greyscale().png().toBuffer(),
    '16 bits': await noise(12, 8).toColourspace('rgb16').png().toBuffer(),
    '1 bit': pngBomb(33, 9),
    '1 bit interlaced': pngBomb(33, 9, { interlaced: true }),
    'grey with a transparent tone': withChunks(pngBomb(8, 8), pngChunk('tRNS', Buffer.alloc(2))),
    'empty transparency': withChunks(plain, pngChunk('tRNS')),
    animation: withChunks(plain, pngChunk('acTL', Buffer.from([0, 0, 0, 5, 0, 0, 0, 0]))),
    'orientation in big endian': withChunks(plain, pngChunk('eXIf', exifWith(6, { bigEndian: true }))),
    'first orientation counts': withChunks(
      plain,
      pngChunk('eXIf', exifWith(6)),
      pngChunk('eXIf', exifWith(3)),
    ),
    'orientation far into EXIF': withChunks(plain, pngChunk('eXIf', exifWith(6, { directoryAt: 60_000 }))),
  };
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    pictures[`orientation ${orientation}`] = await noise(40, 20)
      .withMetadata({ orientation })
      .png()
      .toBuffer();
  }
  return pictures;
});

function withChunks(png: Buffer, ...chunks: Buffer[]): Buffer {
  return Buffer.concat([png.subarray(0, HEADER_END), ...chunks, png.subarray(HEADER_END)]);
}

function beforeEnd(png: Buffer, chunk: Buffer): Buffer {
  return Buffer.concat([png.subarray(0, -12), chunk, png.subarray(-12)]);
}

test('metadata behind the data counts for nothing, as with libvips', async () => {
  await assertAgreesWithSharp(PNG, beforeEnd(plain, pngChunk('eXIf', exifWith(6))));
  await assertAgreesWithSharp(PNG, beforeEnd(pngBomb(8, 8), pngChunk('tRNS', Buffer.alloc(2))));
});

test('EXIF beyond what libexif reads counts for nothing', async () => {
  await assertAgreesWithSharp(PNG, withChunks(plain, pngChunk('eXIf', exifWith(6, { directoryAt: 70_000 }))));
});

test('a bomb is refused from its header', () => {
  const bomb = pngBomb(40_000, 40_000);
  assert.ok(bomb.length < 210_000);
  assert.throws(() => createImageWalker(PNG).push(bomb.subarray(0, HEADER_END)), {
    fault: 'too_many_pixels',
  });
});

test('exactly the most pixels are allowed', () => {
  assert.equal(walkWholeImage(PNG, pngHeaderOnly(10_000, 12_000)).width, 10_000);
  assertFault(PNG, pngHeaderOnly(10_000, 12_001), 'too_many_pixels');
});

test('broken structure is refused', () => {
  const headerTwice = Buffer.concat([pngSignature, pngHeader(8, 8), pngHeader(8, 8)]);
  assertFault(PNG, headerTwice, 'corrupt');
  assertFault(PNG, Buffer.concat([pngSignature, pngHeader(8, 8), pngChunk('IEND')]), 'corrupt');
  assertFault(PNG, pngHeaderOnly(8, 8, { depth: 8, colourType: 3 }), 'corrupt');
  assertFault(PNG, pngHeaderOnly(8, 8, { depth: 1, colourType: 2 }), 'corrupt');
  assertFault(PNG, pngHeaderOnly(0, 8), 'corrupt');
  assertFault(PNG, withChunks(plain, pngChunk('ABCD')), 'corrupt');
  assertFault(PNG, withChunks(plain, pngChunk('a\0cd')), 'corrupt');
  const wrongChecksum = Buffer.from(plain);
  wrongChecksum[30]! ^= 1;
  assertFault(PNG, wrongChecksum, 'corrupt');
});
