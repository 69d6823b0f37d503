// What must hold for the walker of every picture format, tried on real pictures that are split, cut and damaged at random.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { createImageWalker, ImageFault, walkWholeImage } from '../../src/lib/walk-image.ts';
import type { ImageFacts, ImageFaultKind, ImageType } from '../../src/lib/walk-image.ts';

export type Pictures = Record<string, Buffer>;

/** A picture of noise in which neighbouring pixels differ, so that its coding has some of everything. */
export function noise(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const pixels = Buffer.alloc(width * height * channels);
  let state = width * 7919 + height;
  for (let at = 0; at < pixels.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    pixels[at] = state >>> 24;
  }
  return sharp(pixels, { raw: { width, height, channels } });
}

/** Several frames as one tall picture, which is how sharp takes an animation. */
export function noiseFrames(
  width: number,
  height: number,
  frames: number,
  channels: 3 | 4 = 3,
): Promise<Buffer> {
  return noise(width, height * frames, channels)
    .raw()
    .toBuffer();
}

export async function factsBySharp(type: ImageType, bytes: Buffer): Promise<ImageFacts> {
  const { autoOrient, orientation = 1, pages = 1, hasAlpha } = await sharp(bytes).metadata();
  return { type, ...autoOrient, orientation, frames: pages, alpha: hasAlpha };
}

export async function assertAgreesWithSharp(type: ImageType, bytes: Buffer, name?: string): Promise<void> {
  assert.deepEqual(walkWholeImage(type, bytes), await factsBySharp(type, bytes), name);
}

export function assertFault(type: ImageType, bytes: Buffer, ...kinds: ImageFaultKind[]): void {
  assert.throws(
    () => walkWholeImage(type, bytes),
    (error) => error instanceof ImageFault && kinds.includes(error.fault),
    `not refused as ${kinds.join(' or ')}`,
  );
}

export async function testWalker(type: ImageType, makePictures: () => Promise<Pictures>): Promise<void> {
  const pictures = await makePictures();
  const anyPicture = fc.constantFrom(...Object.values(pictures));

  test('sharp finds the same facts', async () => {
    for (const [name, bytes] of Object.entries(pictures)) await assertAgreesWithSharp(type, bytes, name);
  });

  test('how a picture is split into chunks makes no difference', () => {
    const check = fc.property(anyPicture, fc.array(fc.nat(), { maxLength: 12 }), (bytes, cuts) => {
      assert.deepEqual(walkInChunks(type, bytes, cuts), walkWholeImage(type, bytes));
    });
    fc.assert(check, { numRuns: 200 });
    for (const bytes of Object.values(pictures)) {
      assert.deepEqual(walkInChunks(type, bytes, [...bytes.keys()]), walkWholeImage(type, bytes));
    }
  });

  test('a picture cut anywhere is refused', () => {
    const check = fc.property(anyPicture, fc.nat(), (bytes, cut) => {
      assertFault(type, bytes.subarray(0, cut % bytes.length), 'truncated', 'corrupt');
    });
    fc.assert(check, { numRuns: 500 });
    for (const bytes of Object.values(pictures)) assertFault(type, bytes.subarray(0, -1), 'truncated');
  });

  test('trailing bytes are accepted', () => {
    const check = fc.property(anyPicture, fc.uint8Array({ maxLength: 64 }), (bytes, more) => {
      assert.deepEqual(walkWholeImage(type, Buffer.concat([bytes, more])), walkWholeImage(type, bytes));
    });
    fc.assert(check, { numRuns: 200 });
  });

  test('a damaged picture is walked or refused, never anything else', () => {
    const damages = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    });
    const check = fc.property(anyPicture, damages, fc.boolean(), (bytes, changes, nearTheStart) => {
      const damaged = Buffer.from(bytes);
      const range = nearTheStart ? Math.min(bytes.length, 400) : bytes.length;
      for (const [at, value] of changes) damaged[at % range] = value;
      outcome(type, damaged);
    });
    fc.assert(check, { numRuns: 2000 });
  });
}

/** The facts or the fault; any other error escapes. */
export function outcome(type: ImageType, bytes: Buffer): ImageFacts | ImageFault {
  try {
    return walkWholeImage(type, bytes);
  } catch (error) {
    if (error instanceof ImageFault) return error;
    throw error;
  }
}

function walkInChunks(type: ImageType, bytes: Buffer, cuts: number[]): ImageFacts {
  const walker = createImageWalker(type);
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    walker.push(bytes.subarray(from, to));
    from = to;
  }
  return walker.end();
}
