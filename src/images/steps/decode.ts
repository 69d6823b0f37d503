// Opens a picture for rendering. Only the five formats we store are decoded, only from files, and nothing broken becomes
// a picture: cut-off or damaged data is an error, while harmless oddities are let through.
import sharp from 'sharp';
import type { Metadata, Sharp } from 'sharp';
import { maxInputPixels } from '../budget.ts';
import type { RenderPlan } from '../plan.ts';

const decoders = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'];
const safety = { failOn: 'error', limitInputPixels: maxInputPixels } as const;

/** The picture is at fault, not we. */
export class UndecodableError extends Error {}

export function allowOnlyOurDecoders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: decoders.map((name) => `VipsForeignLoad${name}File`) });
}

export async function readHeader(inputPath: string): Promise<Metadata> {
  try {
    return await sharp(inputPath, safety).metadata();
  } catch (error) {
    throw new UndecodableError(String(error), { cause: error });
  }
}

export function refuseUnexpected(header: Metadata, plan: RenderPlan): void {
  if (header.format === 'heif' && header.compression !== 'av1') {
    throw new UndecodableError(`compression ${header.compression} instead of av1`);
  }
  const { width, height } = header.autoOrient;
  if (width !== plan.source.width || height !== plan.source.height) {
    throw new UndecodableError(`${width}×${height} instead of ${plan.source.width}×${plan.source.height}`);
  }
}

export function decode(inputPath: string, plan: RenderPlan, header: Metadata): Sharp {
  return sharp(inputPath, { ...safety, autoOrient: true, pages: framesToDecode(plan, header) });
}

/** Frames cannot be turned one by one: of an animation that has to be turned, the first stays. */
function framesToDecode(plan: RenderPlan, header: Metadata): number {
  const isTurned = (header.orientation ?? 1) !== 1;
  return isTurned ? 1 : Math.min(plan.frames, header.pages ?? 1);
}
