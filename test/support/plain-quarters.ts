// Pictures for tests: four plain quarters, so that a glance at single pixels tells size, place and colour.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { planRendering } from '../../src/images/rendering/plan.ts';
import type { SourceFacts } from '../../src/images/rendering/plan.ts';
import { parseTransformation } from '../../src/images/address/transformation.ts';
import type { VariantTransformation } from '../../src/images/address/transformation.ts';
import type { RenderTask } from '../../src/images/rendering/worker-protocol.ts';

export type Pixel = readonly [red: number, green: number, blue: number, alpha: number];

export const colours = {
  red: [220, 40, 40, 255],
  green: [40, 180, 60, 255],
  blue: [40, 60, 220, 255],
  white: [255, 255, 255, 255],
  clear: [0, 0, 0, 0],
} as const satisfies Record<string, Pixel>;

/** Red and green above, blue and white below; the white quarter is transparent if asked. */
export function quarters(width: number, height: number, { alpha = false } = {}): Sharp {
  const pixels = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const above =
        y < height / 2 ? [colours.red, colours.green] : [colours.blue, alpha ? colours.clear : colours.white];
      pixels.set(above[x < width / 2 ? 0 : 1] ?? [], (y * width + x) * 4);
    }
  }
  const image = sharp(pixels, { raw: { width, height, channels: 4 } });
  return alpha ? image : image.removeAlpha();
}

export async function animation(width: number, height: number, frames: number): Promise<Sharp> {
  const stills = Array.from({ length: frames }, (_, index) =>
    sharp({
      create: { width, height, channels: 3, background: { r: 250 - index * 40, g: index * 40, b: 90 } },
    })
      .png()
      .toBuffer(),
  );
  return sharp(await Promise.all(stills), { join: { animated: true } });
}

/** Takes long to shrink and encode, and little time to make. */
export function slowPicture(side: number): Sharp {
  return sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });
}

export async function pixelAt(image: string | Buffer, left: number, top: number): Promise<number[]> {
  const { data, info } = await sharp(image).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const start = (top * info.width + left) * info.channels;
  return [...data.subarray(start, start + info.channels)];
}

export async function factsOf(file: string): Promise<SourceFacts> {
  const header = await sharp(file).metadata();
  return {
    ...header.autoOrient,
    frames: header.pages ?? 1,
    alpha: header.hasAlpha,
    type: header.mediaType ?? '',
  };
}

/** All that a rendering needs but the place of its result. */
export async function renderTask(inputPath: string, text: string): Promise<Omit<RenderTask, 'outputPath'>> {
  const source = await factsOf(inputPath);
  const transformation = variantTransformation(text);
  const { costClass } = planRendering(source, transformation);
  return { inputPath, source, transformation, costClass };
}

export function variantTransformation(text: string): VariantTransformation {
  const transformation = parseTransformation(text);
  if (
    transformation.kind === 'original' ||
    transformation.format === 'auto' ||
    transformation.format === 'json'
  )
    throw new Error(`${text} names no format`);
  return transformation as VariantTransformation;
}

export type Scratch = AsyncDisposable & {
  readonly path: string;
  save(name: string, bytes: Buffer): Promise<string>;
};

export async function scratchFolder(): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), 'tintype-images-'));
  return {
    path,
    async save(name, bytes) {
      const file = join(path, name);
      await writeFile(file, bytes);
      return file;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
