// Turns a transformation of one source into exact work for a worker: pure, so that what would be refused is refused
// before anything is queued. A plan is plain data.
import { AppError } from '../../platform/errors.ts';
import { costClassOf, estimateMs, isTooLargeToCut, refuseOverBudget } from './budget.ts';
import type { CostClass } from './budget.ts';
import { type Colour, isOpaque, transparent, white } from '../address/colour.ts';
import { type Effects, effectsOf } from './effects.ts';
import { formatOf } from '../address/formats.ts';
import {
  boxOfRatio,
  coveringSize,
  largestPart,
  regionAround,
  targetOf,
  turnedSize,
  within,
} from './geometry.ts';
import type { Point, Region, Size } from './geometry.ts';
import { type Focus, focusOf } from './focus.ts';
import type { Place, TokenValues } from '../address/tokens.ts';
import type { VariantTransformation } from '../address/transformation.ts';

/** What is known of an original: its size as displayed, its frames and its media type. */
export type SourceFacts = {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly alpha: boolean;
  readonly type: string;
};

/** What only a look at the pixels can tell. */
export type Findings = {
  /** What is left of the source once its edges are trimmed. */
  readonly trimmed?: Region;
  /** The middle of the faces; null when there are none. */
  readonly face?: Point | null;
};

export type Turn = { readonly degrees: number; readonly flop: boolean; readonly flip: boolean };
export type Sides = {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
};

export type RenderPlan = {
  readonly source: Size;
  readonly frames: number;
  /** Part of the source that is used at all. */
  readonly crop: Region | null;
  readonly turn: Turn | null;
  readonly cutOut: boolean;
  /** The picture, cut or not, is brought to this size. */
  readonly resize: Size | null;
  /** Cut out of the turned picture before it is resized, of the resized one, or where the content asks for it. */
  readonly cut:
    | { readonly kind: 'before' | 'after'; readonly region: Region }
    | { readonly kind: 'content'; readonly size: Size; readonly by: 'attention' | 'entropy' }
    | null;
  readonly effects: Effects | null;
  readonly mark: { readonly place: Place; readonly width: number; readonly opacity: number } | null;
  /** What the box leaves empty around it, filled with the background. */
  readonly fill: Sides | null;
  readonly border: { readonly width: number; readonly colour: Colour } | null;
  readonly radius: number;
  /** The size with its border, whose corners are rounded. */
  readonly framed: Size;
  /** Added around all that, in the colour of the background. */
  readonly margin: number;
  /** What fills what was added. */
  readonly background: Colour;
  /** What a picture with alpha is laid on. */
  readonly layOn: Colour | null;
  readonly metadata: 'none' | 'copyright' | 'all';
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

const animatedTypes = new Set(['image/gif', 'image/webp']);
const cutOutMs = 1500;

export function planRendering(
  source: SourceFacts,
  transformation: VariantTransformation,
  findings: Findings = {},
): RenderPlan {
  const { tokens } = transformation;
  const format = formatOf(transformation.format);
  const frames = framesOf(source, transformation);
  const crop = findings.trimmed ?? cropOf(source, tokens);
  const used = crop ?? source;
  const turn = turnOf(tokens);
  const turned = turn === null ? used : turnedSize(used, turn.degrees);
  const added = addedAround(tokens);
  const target = targetOf(turned, boxOf(turned, tokens), tokens.fit ?? 'cover');
  const size = within(target.size, Math.max(1, format.maxSidePixels - 2 * added.total));
  const focus = focusOf(tokens, used, turn, source, findings);
  const meeting = meet({ turned, size, fit: target.fit, focus, frames });
  const framed = grown(size, added.border);
  const result = grown(framed, added.pad);
  refuseOverBudget(result, frames);

  const outputPixels = result.width * result.height * frames;
  const estimatedMs =
    estimateMs(source.width * source.height * frames, outputPixels, format.encodeNanosecondsPerPixel) +
    (tokens['bg-remove'] ? cutOutMs : 0);
  const ground = tokens.bg ?? (format.keepsAlpha ? null : white);
  return {
    source: { width: source.width, height: source.height },
    frames,
    crop,
    turn,
    cutOut: tokens['bg-remove'] === true,
    ...meeting.work,
    effects: effectsOf(tokens),
    mark: markOf(tokens),
    fill: filling(meeting.contained, size),
    border: tokens.border ? { width: added.border, colour: tokens.border[1] } : null,
    radius: radiusOf(tokens, framed),
    framed,
    margin: added.pad,
    background: tokens.bg ?? (format.keepsAlpha ? transparent : white),
    layOn: ground !== null && !format.keepsAlpha && !isOpaque(ground) ? onWhite(ground) : ground,
    metadata: tokens.meta ?? 'none',
    encoder: encoderFor(transformation, outputPixels),
    ...result,
    estimatedMs,
    costClass: costClassOf(estimatedMs),
  };
}

function framesOf(source: SourceFacts, { tokens, format }: VariantTransformation): number {
  if (tokens.page !== undefined && tokens.page > source.frames) {
    throw new AppError(
      'invalid_transformation',
      `Token "page-${tokens.page}" is out of range: this picture has ${source.frames} frame${source.frames === 1 ? '' : 's'}`,
    );
  }
  const still = tokens.anim === '0' || tokens.page !== undefined || tokens.t !== undefined;
  return formatOf(format).keepsAnimation && animatedTypes.has(source.type) && !still ? source.frames : 1;
}

function cropOf(source: Size, { crop }: TokenValues): Region | null {
  if (crop === undefined) return null;
  const [left, top, wide, high] = crop;
  if (left >= source.width || top >= source.height) {
    throw new AppError(
      'invalid_transformation',
      `Token "crop-${crop.join('-')}" lies outside the picture, which is ${source.width}×${source.height}`,
    );
  }
  const width = Math.min(wide, source.width - left);
  const height = Math.min(high, source.height - top);
  return width === source.width && height === source.height ? null : { left, top, width, height };
}

function turnOf({ rot = 0, flip }: TokenValues): Turn | null {
  if (rot === 0 && flip === undefined) return null;
  return { degrees: rot, flop: flip?.includes('h') === true, flip: flip?.includes('v') === true };
}

function boxOf(turned: Size, { w, h, ar, fit = 'cover', dpr = 1 }: TokenValues) {
  const scaled = (side: number | undefined): number | undefined =>
    side === undefined ? undefined : Math.max(1, Math.round(side * dpr));
  const box = { width: scaled(w), height: scaled(h) };
  return ar === undefined ? box : boxOfRatio(turned, box, ar, fit);
}

function addedAround({ pad = 0, border, dpr = 1 }: TokenValues) {
  const padPixels = Math.round(pad * dpr);
  const borderPixels = border === undefined ? 0 : Math.max(1, Math.round(border[0] * dpr));
  return { pad: padPixels, border: borderPixels, total: padPixels + borderPixels };
}

type Meeting = { work: Pick<RenderPlan, 'resize' | 'cut'>; contained: Size | null };

/** How the turned picture comes to its size: what is cut off, what it is resized to, and what of the box stays empty. */
function meet({
  turned,
  size,
  fit,
  focus,
  frames,
}: {
  turned: Size;
  size: Size;
  fit: 'cover' | 'contain' | 'fill';
  focus: Focus;
  frames: number;
}): Meeting {
  const resizedTo = (wanted: Size): Size | null => (isSameSize(turned, wanted) ? null : wanted);
  if (fit === 'contain') {
    const inner = targetOf(turned, size, 'inside').size;
    return { work: { resize: resizedTo(inner), cut: null }, contained: inner };
  }
  const covering = coveringSize(turned, size);
  if (fit === 'fill' || isSameSize(covering, size))
    return { work: { resize: resizedTo(size), cut: null }, contained: null };
  // A long thin source would grow beyond all limits before its edges are cut off: then they are cut off first.
  if (isTooLargeToCut(covering, frames)) {
    const around = typeof focus === 'string' ? { x: 0.5, y: 0.5 } : focus;
    const region = regionAround(turned, largestPart(turned, size), around);
    return { work: { resize: size, cut: { kind: 'before', region } }, contained: null };
  }
  if (typeof focus === 'string')
    return {
      work: { resize: resizedTo(covering), cut: { kind: 'content', size, by: focus } },
      contained: null,
    };
  const region = regionAround(covering, size, focus);
  return { work: { resize: resizedTo(covering), cut: { kind: 'after', region } }, contained: null };
}

function filling(contained: Size | null, size: Size): Sides | null {
  if (contained === null || isSameSize(contained, size)) return null;
  const left = Math.floor((size.width - contained.width) / 2);
  const top = Math.floor((size.height - contained.height) / 2);
  return {
    top,
    right: size.width - contained.width - left,
    bottom: size.height - contained.height - top,
    left,
  };
}

function grown({ width, height }: Size, by: number): Size {
  return { width: width + 2 * by, height: height + 2 * by };
}

function radiusOf({ r = 0, dpr = 1 }: TokenValues, framed: Size): number {
  const most = Math.min(framed.width, framed.height) / 2;
  return r === 'max' ? most : Math.min(most, r * dpr);
}

function markOf({
  mark,
  markpos = 'bottom-right',
  markw = 25,
  marka = 100,
}: TokenValues): RenderPlan['mark'] {
  return mark === undefined ? null : { place: markpos, width: markw / 100, opacity: marka / 100 };
}

function onWhite({ r, g, b, alpha }: Colour): Colour {
  const mix = (channel: number): number => Math.round(channel * alpha + 255 * (1 - alpha));
  return { r: mix(r), g: mix(g), b: mix(b), alpha: 1 };
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
