// Sizes of results, worked out to the pixel. We round as libvips does and hand it exact boxes, so that what a plan
// promises is what comes out, whatever shortcut a decoder takes on the way.

export type Size = { readonly width: number; readonly height: number };
export type Region = Size & { readonly left: number; readonly top: number };

export type Fit = 'cover' | 'contain' | 'fill' | 'inside' | 'outside' | 'max';

export type Target = {
  readonly size: Size;
  /** How the picture meets that size; `fill` where both have the same proportions anyway. */
  readonly fit: 'cover' | 'contain' | 'fill';
};

export function targetOf(
  source: Size,
  box: { readonly width?: number | undefined; readonly height?: number | undefined },
  fit: Fit,
): Target {
  const horizontal = box.width === undefined ? undefined : source.width / box.width;
  const vertical = box.height === undefined ? undefined : source.height / box.height;
  if (box.width !== undefined && box.height !== undefined && isExact(fit)) {
    return { size: { width: box.width, height: box.height }, fit };
  }
  const both = [horizontal, vertical].filter((shrink) => shrink !== undefined);
  if (both.length === 0) return { size: { width: source.width, height: source.height }, fit: 'fill' };
  const shrink = fit === 'outside' ? Math.min(...both) : Math.max(...both);
  return { size: shrunk(source, fit === 'max' ? Math.max(1, shrink) : shrink), fit: 'fill' };
}

/** The size scaled down, if need be, until no side is longer than allowed. */
export function within(size: Size, maxSidePixels: number): Size {
  const excess = Math.max(size.width, size.height) / maxSidePixels;
  return excess <= 1 ? size : shrunk(size, excess);
}

/** What the whole source measures once it is just large enough to cover the box. */
export function coveringSize(source: Size, box: Size): Size {
  return shrunk(source, Math.min(source.width / box.width, source.height / box.height));
}

/** The middle of the source that has the proportions of the box. */
export function centredRegion(source: Size, box: Size): Region {
  const { width, height } = shrunk(box, Math.max(box.width / source.width, box.height / source.height));
  return {
    left: Math.floor((source.width - width) / 2),
    top: Math.floor((source.height - height) / 2),
    width,
    height,
  };
}

function isExact(fit: Fit): fit is 'cover' | 'contain' | 'fill' {
  return fit === 'cover' || fit === 'contain' || fit === 'fill';
}

function shrunk(size: Size, factor: number): Size {
  return { width: atLeastOnePixel(size.width / factor), height: atLeastOnePixel(size.height / factor) };
}

function atLeastOnePixel(length: number): number {
  return Math.max(1, roundHalfToEven(length));
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
