// Makes the background transparent, as the mask says, and takes its colours out of soft edges. What was transparent before
// stays so. Done on settled pixels: inside the image library a joined channel is dropped by whatever touches alpha.
import type { RawPicture } from '../raw-picture.ts';
import { cleanEdges } from '../../vision/clean-edges.ts';
import { regionToDecode } from './crop.ts';
import { decode } from './decode.ts';
import type { Work } from './step.ts';

export async function cutOut(frame: RawPicture, work: Work): Promise<RawPicture> {
  if (!work.plan.cutOut || work.maskPath === null) return frame;
  const mask = await maskOf(frame, work.maskPath, work);
  const pixels = Buffer.from(frame.pixels);
  for (let index = 0; index < mask.length; index += 1) {
    const alpha = index * 4 + 3;
    pixels[alpha] = Math.round(((pixels[alpha] as number) * (mask[index] as number)) / 255);
  }
  cleanEdges(pixels, frame);
  return { ...frame, pixels };
}

/** The part of the mask that belongs to the frame, at its size. The mask is of the whole source, and smaller. */
async function maskOf(frame: RawPicture, maskPath: string, { plan }: Work): Promise<Buffer> {
  const { width, height } = frame;
  const used = regionToDecode(plan);
  const mask = decode(maskPath);
  if (used === null) mask.resize({ width, height, fit: 'fill' });
  else {
    const scale = { x: width / used.width, y: height / used.height };
    mask
      .resize({
        width: Math.max(width, Math.round(plan.source.width * scale.x)),
        height: Math.max(height, Math.round(plan.source.height * scale.y)),
        fit: 'fill',
      })
      .extract({
        left: Math.min(Math.round(used.left * scale.x), Math.round(plan.source.width * scale.x) - width),
        top: Math.min(Math.round(used.top * scale.y), Math.round(plan.source.height * scale.y) - height),
        width,
        height,
      });
  }
  return mask.extractChannel(0).raw().toBuffer();
}
