// GIFs by sharp and by hand: size and frames as libvips sees them, bombs refused while counting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { createImageWalker, walkWholeImage } from '../walk-image.ts';
import {
  assertAgreesWithSharp,
  assertFault,
  noise,
  noiseFrames,
  testWalker,
} from '../../../test/support/walker-properties.ts';
import { gifOf, gifWithFrames } from '../../../test/support/png-and-gif-builders.ts';

const GIF = 'image/gif';

await testWalker(GIF, async () => ({
  plain: await noise(40, 20).gif().toBuffer(),
  alpha: await noise(30, 30, 4).gif().toBuffer(),
  animated: await animation(20, 10, 5),
  'animated with alpha': await animation(16, 16, 3, 4),
  'two colours': gifOf(3, 3, [{ width: 3, height: 3, transparent: false }]),
  'second frame transparent': gifOf(2, 2, [
    { width: 2, height: 2 },
    { width: 1, height: 1, transparent: true },
  ]),
  'version 87a': Buffer.concat([Buffer.from('GIF87a'), gifWithFrames(1).subarray(6)]),
}));

async function animation(
  width: number,
  height: number,
  frames: number,
  channels: 3 | 4 = 3,
): Promise<Buffer> {
  const pixels = await noiseFrames(width, height, frames, channels);
  const raw = { width, height: height * frames, channels, pageHeight: height };
  return sharp(pixels, { raw }).gif({ delay: 50 }).toBuffer();
}

test('the size is the one libvips gives, even where the header says otherwise', async () => {
  const screens = [
    [640, 480],
    [640, 512],
    [800, 600],
    [1024, 768],
    [1280, 1024],
    [1600, 1200],
    [2048, 10],
    [2049, 10],
    [10, 3000],
    [0, 0],
    [0, 10],
    [10, 0],
    [1, 1],
    [9, 9],
    [480, 640],
  ] as const;
  for (const [width, height] of screens) {
    for (const frame of [
      { width: 5, height: 6 },
      { x: 3, y: 4, width: 5, height: 6 },
      { width: 0, height: 3 },
    ]) {
      const gif = gifOf(width, height, [frame, { width: 50, height: 60 }]);
      await assertAgreesWithSharp(GIF, gif, `${width}×${height} with ${JSON.stringify(frame)}`);
    }
  }
});

test('too many frames are refused as soon as they are counted', () => {
  assert.equal(walkWholeImage(GIF, gifWithFrames(1000)).frames, 1000);
  const walker = createImageWalker(GIF);
  const start = gifWithFrames(10_000).subarray(0, 20_000);
  assert.throws(() => walker.push(start), { fault: 'too_many_frames' });
});

test('frames are limited by their pixels too', () => {
  assertFault(GIF, gifWithFrames(501, 1000, 1000), 'too_many_pixels');
  assertFault(GIF, gifOf(65_535, 65_535, [{ width: 1, height: 1 }]), 'too_many_pixels');
  assertFault(
    GIF,
    gifOf(1, 1, [
      { width: 1, height: 1 },
      { width: 65_535, height: 65_535 },
    ]),
    'too_many_pixels',
  );
  const few = { maxPixels: 100, maxFrames: 10, maxTotalPixels: 50 };
  assert.throws(() => walkWholeImage(GIF, gifWithFrames(6, 3, 3), few), { fault: 'too_many_pixels' });
});

test('broken structure is refused', () => {
  const gif = gifWithFrames(2);
  assertFault(GIF, gif.subarray(0, -1), 'truncated');
  assertFault(GIF, gifOf(8, 8, []), 'corrupt');
  assertFault(GIF, Buffer.concat([gif.subarray(0, -1), Buffer.from([0, 0x3b])]), 'corrupt');
  const codeSize = Buffer.from(gif);
  codeSize[codeSize.indexOf(0x2c) + 10] = 12;
  assertFault(GIF, codeSize, 'corrupt');
});
