// Opens a picture for rendering. Only the five formats we store are decoded, only from files, and nothing broken becomes
// a picture: cut-off or damaged data is an error, while harmless oddities are let through.
import sharp from 'sharp';
import type { Metadata, Sharp } from 'sharp';
import { maxInputPixels } from '../budget.ts';
import type { Size } from '../geometry.ts';

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

export function refuseUnexpected(header: Metadata, expected: Size): void {
  if (header.format === 'heif' && header.compression !== 'av1') {
    throw new UndecodableError(`compression ${header.compression} instead of av1`);
  }
  const { width, height } = header.autoOrient;
  if (width !== expected.width || height !== expected.height) {
    throw new UndecodableError(`${width}×${height} instead of ${expected.width}×${expected.height}`);
  }
}

export type Frames = { readonly first: number; readonly count: number };

export function decode(inputPath: string, { first, count }: Frames = { first: 0, count: 1 }): Sharp {
  return sharp(inputPath, { ...safety, autoOrient: true, page: first, pages: count });
}

/** Frames cannot be turned one by one: of an animation that its metadata turns, one stays. */
export function framesToDecode(wanted: Frames, header: Metadata): Frames {
  const there = header.pages ?? 1;
  const first = Math.min(wanted.first, there - 1);
  const isTurned = (header.orientation ?? 1) !== 1;
  return { first, count: isTurned ? 1 : Math.min(wanted.count, there - first) };
}

/** The frame that is shown at a moment; after the end, the last. */
export function frameAt(seconds: number, header: Metadata): number {
  const delaysMs = header.delay ?? [];
  let shownUntilMs = 0;
  for (const [index, delayMs] of delaysMs.entries()) {
    shownUntilMs += delayMs;
    if (seconds * 1000 < shownUntilMs) return index;
  }
  return Math.max(0, delaysMs.length - 1);
}
