// Turns a transformation of one source into exact work for a worker: pure, so that what would be refused is refused
// before anything is queued. A plan is plain data, because it travels to another process.
import { costClassOf, estimateMs, maxStackedHeightPixels, refuseOverBudget } from './budget.ts';
import type { CostClass } from './budget.ts';
import { formatOf } from './formats.ts';
import { centredRegion, coveringSize, targetOf, within } from './geometry.ts';
import type { Region, Size } from './geometry.ts';
import type { VariantTransformation } from './transformation.ts';

/** What is known of an original: its size as displayed, its frames and its media type. */
export type SourceFacts = {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly alpha: boolean;
  readonly type: string;
};

export type Colour = { readonly r: number; readonly g: number; readonly b: number; readonly alpha: number };

export type RenderPlan = {
  /** What the decoder has to find. */
  readonly source: Size;
  readonly frames: number;
  /** Part of the source that is used at all. */
  readonly crop: Region | null;
  readonly resize:
    | (Size & { readonly fit: 'cover' | 'contain' | 'fill'; readonly background: Colour })
    | null;
  /** What a picture with alpha is laid on, where the format has none. */
  readonly flattenOn: Colour | null;
  readonly encoder: {
    readonly name: 'webp' | 'avif' | 'jpeg' | 'png' | 'gif';
    readonly options: Readonly<Record<string, number | string | boolean>>;
  };
  /** Size of the result, of each frame. */
  readonly width: number;
  readonly height: number;
  readonly estimatedMs: number;
  readonly costClass: CostClass;
};

const white: Colour = { r: 255, g: 255, b: 255, alpha: 1 };
const transparent: Colour = { r: 0, g: 0, b: 0, alpha: 0 };
const animatedTypes = new Set(['image/gif', 'image/webp']);

export function planRendering(source: SourceFacts, transformation: VariantTransformation): RenderPlan {
  const { w, h, fit = 'cover' } = transformation.tokens;
  const format = formatOf(transformation.format);
  const frames = format.keepsAnimation && animatedTypes.has(source.type) ? source.frames : 1;
  const target = targetOf(source, { width: w, height: h }, fit);
  const size = within(target.size, format.maxSidePixels);
  refuseOverBudget(size, frames);

  const crop = target.fit === 'cover' ? cropBeforeCovering(source, size, frames) : null;
  const background = format.keepsAlpha ? transparent : white;
  const outputPixels = size.width * size.height * frames;
  const estimatedMs = estimateMs(
    source.width * source.height * frames,
    outputPixels,
    format.encodeNanosecondsPerPixel,
  );
  return {
    source: { width: source.width, height: source.height },
    frames,
    crop,
    resize: isSameSize(source, size)
      ? null
      : { ...size, fit: crop === null ? target.fit : 'fill', background },
    flattenOn: format.keepsAlpha ? null : white,
    encoder: encoderFor(transformation, outputPixels),
    ...size,
    estimatedMs,
    costClass: costClassOf(estimatedMs),
  };
}

/** A long thin source grows beyond all limits before its edges are cut off: then they are cut off first. */
function cropBeforeCovering(source: Size, box: Size, frames: number): Region | null {
  const covering = coveringSize(source, box);
  const longest = Math.max(covering.width, covering.height * frames);
  return longest > maxStackedHeightPixels / 10 ? centredRegion(source, box) : null;
}

function encoderFor(transformation: VariantTransformation, outputPixels: number): RenderPlan['encoder'] {
  const format = formatOf(transformation.format);
  const { q = 'auto' } = transformation.tokens;
  const quality = q === 'auto' ? format.defaultQuality : q;
  return {
    name: format.encoder,
    options: { ...format.encoderOptions(outputPixels), ...(quality === null ? {} : { quality }) },
  };
}

function isSameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}
