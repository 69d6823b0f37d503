// The mask of a picture: white where the foreground is, black where the background was, as a greyscale PNG with the
// proportions of the picture as displayed.
import { writeFile, rename, rm } from 'node:fs/promises';
import sharp from 'sharp';
import { within } from '../rendering/geometry.ts';
import type { Size } from '../rendering/geometry.ts';
import { temporaryPath } from '../variants/variant-file.ts';
import type { ForegroundModel } from './foreground-model.ts';
import { openStill, resizePixels } from './open-still.ts';
import type { Still } from './open-still.ts';
import type { Plane } from './plane.ts';
import { fitSidePixels, refineMatte } from './refine-matte.ts';
import type { MaskResult, MaskTask } from './vision-protocol.ts';

export const maxMaskSidePixels = 2048;
/** A model that sees something is sure of this share of the picture at least; elsewhere it guesses. */
const surelyForeground = 0.85;
const minForegroundShare = 0.003;

export async function makeMask(task: MaskTask, model: () => Promise<ForegroundModel>): Promise<MaskResult> {
  const still = await openStill(task.inputPath, task.source, maxMaskSidePixels);
  const { width, height } = still.colours;
  const matte = hasTransparentBackground(still) ? null : await findMatte(still, await model());
  const mask = matte ?? new Uint8Array(width * height).fill(255);
  await writeMask(mask, { width, height }, task);
  return { width, height, subject: matte !== null };
}

/** Null when nothing stands out: a landscape is better kept whole than turned into patches of itself. */
async function findMatte({ colours }: Still, model: ForegroundModel): Promise<Uint8Array | null> {
  const coarse = await model.matte(await resizePixels(colours, model.input));
  if (!hasSubject(coarse)) return null;
  return refineMatte(coarse, await resizePixels(colours, within(colours, fitSidePixels)), colours);
}

export function hasSubject({ data }: Plane): boolean {
  let sure = 0;
  for (const share of data) if (share > surelyForeground) sure += 1;
  return sure >= data.length * minForegroundShare;
}

/** Whether most of the border is transparent: then somebody has cut the foreground out already. */
export function hasTransparentBackground({ colours: { width, height }, alpha }: Still): boolean {
  if (alpha === null) return false;
  let border = 0;
  let transparent = 0;
  for (let at = 0; at < alpha.length; at += 1) {
    const x = at % width;
    const isInside = x > 0 && x < width - 1 && at >= width && at < alpha.length - width;
    // From the left border straight to the right one.
    if (isInside) at += width - 2 - x;
    else {
      border += 1;
      if (alpha[at]! < 128) transparent += 1;
    }
  }
  return height > 0 && transparent * 2 > border;
}

async function writeMask(mask: Uint8Array, size: Size, task: MaskTask): Promise<void> {
  const { outputPath, stagingFolder } = task;
  const temporary = temporaryPath(outputPath, process.pid, stagingFolder);
  const image = sharp(mask, { raw: { ...size, channels: 1 } }).toColourspace('b-w');
  try {
    await writeFile(temporary, await image.png({ compressionLevel: 6 }).toBuffer());
    await rename(temporary, outputPath);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
