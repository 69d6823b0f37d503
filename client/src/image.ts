// Builds the address of a picture from how it is to look: `image(objectUrl).width(800).format('auto').url`. Every step
// gives a new builder, so that one can be kept and varied. Works on pictures, and on films for their stills.
import { srcset, type SrcsetOptions } from './srcset.ts';

export type Fit = 'cover' | 'contain' | 'fill' | 'inside' | 'outside' | 'max';
export const places = [
  'center',
  'top',
  'bottom',
  'left',
  'right',
  'top-left',
  'top-right',
  'bottom-left',
  'bottom-right',
] as const;
export type Place = (typeof places)[number];
export type Gravity = Place | 'auto' | 'entropy' | 'face';
export type Format = 'webp' | 'avif' | 'jpg' | 'png' | 'gif' | 'auto';
export type Watermark = {
  readonly position?: Place;
  /** Per cent of the picture's width. */
  readonly width?: number;
  /** Per cent. */
  readonly opacity?: number;
};

type Tokens = Readonly<Record<string, string>>;

/** @param address Of an object, or any address below it. */
export function image(address: string): ImageAddress {
  return new ImageAddress(address.slice(0, address.lastIndexOf('/') + 1), {}, null);
}

export class ImageAddress {
  readonly #base: string;
  readonly #tokens: Tokens;
  readonly #format: Format | null;

  constructor(base: string, tokens: Tokens, format: Format | null) {
    this.#base = base;
    this.#tokens = tokens;
    this.#format = format;
  }

  /** In pixels; with `height` exactly that box, alone the other side follows. */
  width(pixels: number): ImageAddress {
    return this.#with('w', number(pixels));
  }

  height(pixels: number): ImageAddress {
    return this.#with('h', number(pixels));
  }

  /** How the picture meets a box; `max` never enlarges. */
  fit(fit: Fit): ImageAddress {
    return this.#with('fit', fit);
  }

  /** What stays when something is cut off. */
  gravity(gravity: Gravity): ImageAddress {
    return this.#with('g', gravity);
  }

  /** The point that stays in the middle when something is cut off: 0 to 1 from the left and from the top. */
  focus(x: number, y: number): ImageAddress {
    return this.#with('fp', number(x), number(y));
  }

  aspectRatio(width: number, height: number): ImageAddress {
    return this.#with('ar', number(width), number(height));
  }

  /** The part of the source that is used, in its pixels. */
  crop(x: number, y: number, width: number, height: number): ImageAddress {
    return this.#with('crop', ...[x, y, width, height].map(number));
  }

  /** Pixels per pixel of the page. */
  dpr(ratio: number): ImageAddress {
    return this.#with('dpr', number(ratio));
  }

  quality(quality: number | 'auto'): ImageAddress {
    return this.#with('q', quality === 'auto' ? quality : number(quality));
  }

  /** Clockwise. */
  rotate(degrees: number): ImageAddress {
    return this.#with('rot', number(degrees));
  }

  flip(direction: 'h' | 'v' | 'hv'): ImageAddress {
    return this.#with('flip', direction);
  }

  blur(pixels: number): ImageAddress {
    return this.#with('blur', number(pixels));
  }

  sharpen(strength: number): ImageAddress {
    return this.#with('sharp', number(strength));
  }

  /** Per cent more or less, as in the next three. */
  brightness(change: number): ImageAddress {
    return this.#with('bri', number(change));
  }

  contrast(change: number): ImageAddress {
    return this.#with('con', number(change));
  }

  saturation(change: number): ImageAddress {
    return this.#with('sat', number(change));
  }

  gamma(change: number): ImageAddress {
    return this.#with('gam', number(change));
  }

  hue(degrees: number): ImageAddress {
    return this.#with('hue', number(degrees));
  }

  grayscale(): ImageAddress {
    return this.#with('gray');
  }

  invert(): ImageAddress {
    return this.#with('invert');
  }

  sepia(): ImageAddress {
    return this.#with('sepia');
  }

  removeBackground(): ImageAddress {
    return this.#with('bg-remove');
  }

  /** Hex or a name of CSS; what transparent parts are laid on, and what padding is filled with. */
  background(colour: string): ImageAddress {
    return this.#with('bg', hex(colour));
  }

  pad(pixels: number): ImageAddress {
    return this.#with('pad', number(pixels));
  }

  border(pixels: number, colour: string): ImageAddress {
    return this.#with('border', number(pixels), hex(colour));
  }

  /** Round corners; `max` makes a square a circle. */
  radius(pixels: number | 'max'): ImageAddress {
    return this.#with('r', pixels === 'max' ? pixels : number(pixels));
  }

  /** Cuts off edges of one colour. */
  trim(tolerance: number): ImageAddress {
    return this.#with('trim', number(tolerance));
  }

  /** Another picture of the same bucket on top of this one. */
  watermark(objectId: string, { position, width, opacity }: Watermark = {}): ImageAddress {
    return this.#with('mark', text(objectId)).#with('markpos', position).#with(
      'markw',
      width === undefined ? undefined : number(width),
    ).#with('marka', opacity === undefined ? undefined : number(opacity));
  }

  /** A still of an animation. */
  still(): ImageAddress {
    return this.#with('anim', '0');
  }

  /** The frame of an animation that becomes the still; the first is 1. */
  page(page: number): ImageAddress {
    return this.#with('page', number(page));
  }

  /** The moment of a film or animation that becomes the still. */
  at(seconds: number): ImageAddress {
    return this.#with('t', number(seconds));
  }

  metadata(kept: 'none' | 'copyright' | 'all'): ImageAddress {
    return this.#with('meta', kept);
  }

  /** Tokens kept in the account. */
  preset(name: string): ImageAddress {
    return this.#with('preset', text(name));
  }

  /** Changes nothing but the address. */
  version(version: string): ImageAddress {
    return this.#with('v', text(version));
  }

  /** `auto` is the best the browser accepts. */
  format(format: Format): ImageAddress {
    return new ImageAddress(this.#base, this.#tokens, format);
  }

  /** For `srcset`: the same picture in several widths, or for several pixel densities. */
  srcset(options: SrcsetOptions): string {
    return srcset((width) => this.width(width).url, options);
  }

  /** `h-200_w-200.webp`: what `tintype.create` takes. Sorted, so that one look has one address in every cache. */
  get transformation(): string {
    const tokens = Object.entries(this.#tokens).map(([name, value]) =>
      value === '' ? name : `${name}-${value}`,
    );
    const list = tokens.toSorted().join('_') || 'original';
    return this.#format === null ? list : `${list}.${this.#format}`;
  }

  get url(): string {
    return this.#base + this.transformation;
  }

  toString(): string {
    return this.url;
  }

  toJSON(): string {
    return this.url;
  }

  #with(name: string, ...values: (string | undefined)[]): ImageAddress {
    if (values.includes(undefined)) return this;
    return new ImageAddress(this.#base, { ...this.#tokens, [name]: values.join('-') }, this.#format);
  }
}

/** Minus is written n: a dash separates values. */
function number(value: number): string {
  const written = String(Math.round(Math.abs(value) * 10_000) / 10_000);
  return value < 0 ? `n${written}` : written;
}

function hex(colour: string): string {
  return colour.replace('#', '');
}

/** What separates tokens and formats is written otherwise inside of names. */
function text(value: string): string {
  return value.replaceAll('~', '~7e').replaceAll('_', '~5f').replaceAll('.', '~2e');
}
