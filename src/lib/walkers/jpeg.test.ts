// JPEGs by sharp and by hand: facts as sharp finds them, and what libjpeg cannot decode refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { createImageWalker, walkWholeImage } from '../walk-image.ts';
import {
  assertAgreesWithSharp,
  assertFault,
  noise,
  testWalker,
  type Pictures,
} from '../../../test/support/walker-properties.ts';
import {
  exifSegment,
  exifWith,
  jpegSegment,
  jpegWithScans,
  withSegments,
} from '../../../test/support/jpeg-and-webp-builders.ts';

const JPEG = 'image/jpeg';
const plain = await noise(40, 20).jpeg().toBuffer();

await testWalker(JPEG, async () => {
  const pictures: Pictures = {
    plain,
    progressive: await noise(50, 30).jpeg({ progressive: true }).toBuffer(),
    grey: await noise(9, 70).greyscale().jpeg().toBuffer(),
    cmyk: await noise(16, 16).toColourspace('cmyk').jpeg().toBuffer(),
    large: await noise(300, 200).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer(),
    '100 scans': jpegWithScans(100),
    lossless: lossless(),
    'thumbnail inside': withSegments(plain, exifSegment(Buffer.concat([exifWith(6), jpegWithScans(1)]))),
    'fill bytes and restart markers': withSegments(plain, Buffer.from([0xff, 0xff, 0xff, 0xd3])),
    'XMP before EXIF': withSegments(
      plain,
      jpegSegment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0')),
      exifSegment(exifWith(6)),
    ),
    'only the first EXIF counts': withSegments(plain, exifSegment(exifWith(3)), exifSegment(exifWith(6))),
    'even if damaged': withSegments(plain, exifSegment(Buffer.from('garbage!')), exifSegment(exifWith(6))),
  };
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    pictures[`orientation ${orientation}`] = await noise(40, 20)
      .withMetadata({ orientation })
      .jpeg()
      .toBuffer();
  }
  return pictures;
});

function lossless(): Buffer {
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xc3, [8, 0, 8, 0, 8, 1, 1, 0x11, 0]),
    jpegSegment(0xc4, [0, 1, ...Array<number>(15).fill(0), 0]),
    jpegSegment(0xda, [1, 1, 0, 1, 0, 0]),
    Buffer.alloc(8),
    Buffer.from([0xff, 0xd9]),
  ]);
}

test('further pictures behind the end do not count', async () => {
  const other = await noise(11, 11).jpeg().toBuffer();
  assert.equal(walkWholeImage(JPEG, Buffer.concat([plain, other])).width, 40);
  await assertAgreesWithSharp(JPEG, Buffer.concat([plain, other]));
});

test('bytes between segments are passed over, as libjpeg does', () => {
  assert.equal(walkWholeImage(JPEG, withSegments(plain, Buffer.from('hello'))).width, 40);
});

test('too many pixels are refused before the data comes', () => {
  const walker = createImageWalker(JPEG);
  const bomb = jpegWithScans(1, { width: 40_000, height: 40_000 });
  assert.throws(() => walker.push(bomb.subarray(0, 100)), {
    fault: 'too_many_pixels',
    message: 'The picture has 1,600,000,000 pixels; the most is 120,000,000',
  });
  assert.throws(() => walker.end(), { fault: 'too_many_pixels' });
});

test('what libjpeg cannot decode is refused', () => {
  for (const frame of [0xc5, 0xc6, 0xc7, 0xcb, 0xcd, 0xce, 0xcf])
    assertFault(JPEG, jpegWithScans(1, { frame }), 'unsupported');
  assertFault(JPEG, jpegWithScans(1, { precision: 12 }), 'unsupported');
  assertFault(JPEG, jpegWithScans(1, { height: 0 }), 'unsupported');
  assertFault(JPEG, jpegWithScans(1, { height: 65_501 }), 'unsupported');
  assertFault(JPEG, jpegWithScans(101), 'unsupported');
});

test('markers out of place are refused', () => {
  const frame = jpegSegment(0xc0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0]);
  assertFault(JPEG, withSegments(plain, frame), 'corrupt');
  assertFault(JPEG, withSegments(plain, Buffer.from([0xff, 0xd8])), 'corrupt');
  assertFault(JPEG, withSegments(plain, jpegSegment(0x4f, [1])), 'corrupt');
  assertFault(JPEG, withSegments(plain, jpegSegment(0xf0, [1])), 'corrupt');
  assertFault(JPEG, withSegments(plain, jpegSegment(0xda, [1, 1, 0, 0, 0, 0])), 'corrupt');
  assertFault(JPEG, withSegments(plain, Buffer.from([0xff, 0xe0, 0, 1])), 'corrupt');
  assertFault(JPEG, Buffer.from([0xff, 0xd8, 0xff, 0xd9]), 'corrupt');
});

test('100 KB are walked in well under a millisecond', async () => {
  const picture = await sharp(await noise(200, 200).png().toBuffer())
    .resize(700, 500)
    .jpeg({ quality: 90 })
    .toBuffer();
  for (let run = 0; run < 500; run += 1) walkWholeImage(JPEG, picture);
  const before = process.cpuUsage();
  for (let run = 0; run < 200; run += 1) walkWholeImage(JPEG, picture);
  const { user, system } = process.cpuUsage(before);
  const milliseconds = ((user + system) / 1000 / 200) * (100_000 / picture.length);
  assert.ok(milliseconds < 0.5, `${milliseconds} ms`);
});
