// WebPs by sharp and by hand: facts as sharp finds them, contradictions refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { walkWholeImage } from '../walk-image.ts';
import {
  assertAgreesWithSharp,
  assertFault,
  noise,
  noiseFrames,
  testWalker,
  type Pictures,
} from '../../../test/support/walker-properties.ts';
import {
  exifWith,
  riffChunk,
  webpAnimation,
  webpCanvas,
  webpFlags,
  webpFrame,
  webpOf,
  webpPixel,
} from '../../../test/support/jpeg-and-webp-builders.ts';

const WEBP = 'image/webp';
const { animated, exif, alpha } = webpFlags;
const lossy = (await noise(40, 20).webp().toBuffer()).subarray(12);
const lossless = (await noise(40, 20, 4).webp({ lossless: true }).toBuffer()).subarray(12);
const prefixedExif = Buffer.concat([Buffer.from('Exif\0\0'), exifWith(6)]);

await testWalker(WEBP, async () => {
  const pictures: Pictures = {
    lossy: await noise(40, 20).webp().toBuffer(),
    'lossy with alpha': await noise(41, 21, 4).webp().toBuffer(),
    lossless: await noise(30, 10).webp({ lossless: true }).toBuffer(),
    'lossless with alpha': await noise(30, 10, 4).webp({ lossless: true }).toBuffer(),
    animated: await animation(20, 10, 4),
    'animated with alpha': await animation(20, 10, 3, 4),
    'one frame': webpOf(webpCanvas(40, 20, animated), webpAnimation, webpFrame(40, 20, lossy)),
    'frame smaller than the canvas': webpOf(
      webpCanvas(80, 60, animated),
      webpAnimation,
      webpFrame(40, 20, lossy, 2, 4),
    ),
    'only the second frame with alpha': webpOf(
      webpCanvas(40, 20, animated),
      webpAnimation,
      webpFrame(40, 20, lossy),
      webpFrame(40, 20, lossless),
    ),
    'alpha announced only': webpOf(webpCanvas(40, 20, alpha), lossy),
    'alpha not announced': webpOf(webpCanvas(40, 20), lossless),
    'EXIF with a prefix': webpOf(webpCanvas(40, 20, exif), lossy, riffChunk('EXIF', prefixedExif)),
    'EXIF first': webpOf(webpCanvas(40, 20, exif), riffChunk('EXIF', exifWith(6)), lossy),
    'EXIF not announced': webpOf(webpCanvas(40, 20), lossy, riffChunk('EXIF', exifWith(6))),
    'first EXIF counts': webpOf(
      webpCanvas(40, 20, exif),
      lossy,
      riffChunk('EXIF', exifWith(6)),
      riffChunk('EXIF', exifWith(3)),
    ),
    'unknown chunk': webpOf(webpCanvas(40, 20), riffChunk('ABCD', Buffer.alloc(3)), lossy),
  };
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    pictures[`orientation ${orientation}`] = await noise(40, 20)
      .withMetadata({ orientation })
      .webp()
      .toBuffer();
  }
  return pictures;
});

async function animation(
  width: number,
  height: number,
  frames: number,
  channels: 3 | 4 = 3,
): Promise<Buffer> {
  const pixels = await noiseFrames(width, height, frames, channels);
  const raw = { width, height: height * frames, channels, pageHeight: height };
  return sharp(pixels, { raw }).webp({ delay: 50 }).toBuffer();
}

test('an animation may be rotated', async () => {
  const frames = [webpFrame(40, 20, lossy), webpFrame(40, 20, lossy)];
  const chunks = [
    webpCanvas(40, 20, animated | exif),
    webpAnimation,
    ...frames,
    riffChunk('EXIF', exifWith(6)),
  ];
  await assertAgreesWithSharp(WEBP, webpOf(...chunks));
});

test('sizes that contradict each other are refused', () => {
  assertFault(WEBP, webpOf(webpCanvas(41, 20), lossy), 'corrupt');
  assertFault(WEBP, webpOf(webpCanvas(4, 2), lossy), 'corrupt');
  assertFault(
    WEBP,
    webpOf(webpCanvas(40, 20, animated), webpAnimation, webpFrame(40, 20, lossy, 2, 0)),
    'corrupt',
  );
  assertFault(WEBP, webpOf(webpCanvas(40, 20, animated), webpAnimation, webpFrame(39, 20, lossy)), 'corrupt');
});

test('broken structure is refused', () => {
  assertFault(WEBP, webpOf(riffChunk('ABCD', Buffer.alloc(4)), lossy), 'corrupt');
  assertFault(WEBP, webpOf(webpCanvas(40, 20)), 'corrupt');
  assertFault(WEBP, webpOf(webpCanvas(40, 20, animated), webpAnimation, lossy), 'corrupt');
  assertFault(WEBP, webpOf(webpCanvas(40, 20, animated), webpFrame(40, 20, lossy)), 'corrupt');
  assertFault(WEBP, webpOf(webpCanvas(40, 20), webpAnimation, webpFrame(40, 20, lossy)), 'corrupt');
  assertFault(WEBP, webpOf(webpCanvas(40, 20, 0x01), lossy), 'corrupt');
  const longPart = Buffer.from(lossy);
  longPart[10] = 0xff;
  assertFault(WEBP, webpOf(longPart), 'corrupt');
  const shortRiff = webpOf(lossy);
  shortRiff.writeUInt32LE(shortRiff.length - 18, 4);
  assertFault(WEBP, shortRiff, 'corrupt');
});

test('limits hold for the canvas and for all frames together', () => {
  assertFault(WEBP, webpOf(webpPixel(16_384, 16_384)), 'too_many_pixels');
  assertFault(
    WEBP,
    webpOf(webpCanvas(16_384, 10, animated), webpAnimation, webpFrame(1, 1, webpPixel())),
    'unsupported',
  );
  const frames = (count: number) => Array<Buffer>(count).fill(webpFrame(1, 1, webpPixel()));
  assert.equal(
    walkWholeImage(WEBP, webpOf(webpCanvas(1, 1, animated), webpAnimation, ...frames(1000))).frames,
    1000,
  );
  assertFault(WEBP, webpOf(webpCanvas(1, 1, animated), webpAnimation, ...frames(1001)), 'too_many_frames');
  assertFault(
    WEBP,
    webpOf(webpCanvas(5000, 5000, animated), webpAnimation, ...frames(21)),
    'too_many_pixels',
  );
});
