// Sizes of results, worked out to the pixel. We round as libvips does and hand it exact boxes, so that what a plan
// promises is what comes out, whatever shortcut a decoder takes on the way.

export type Size = { readonly width: number; readonly height: number };
export type Region = Size & { readonly left: number; readonly top: number };
/** A place in a picture, from its top left, as shares of its sides. */
export type Point = { readonly x: number; readonly y: number };

export type Fit = 'cover' | 'contain' | 'fill' | 'inside' | 'outside' | 'max';

export type Box = { readonly width?: number | undefined; readonly height?: number | undefined };

export type Target = {
  readonly size: Size;
  /** How the picture meets that size; `fill` where both have the same proportions anyway. */
  readonly fit: 'cover' | 'contain' | 'fill';
};

/** The box of given proportions: with one side given the other follows; with none it is as large as the source allows. */
export function boxOfRatio(source: Size, box: Box, [a, b]: readonly [number, number], fit: Fit): Box {
  if (box.width !== undefined) return { width: box.width, height: atLeastOnePixel((box.width * b) / a) };
  if (box.height !== undefined) return { width: atLeastOnePixel((box.height * a) / b), height: box.height };
  const [across, down] = [source.width / a, source.height / b];
  const unit = fit === 'contain' || fit === 'outside' ? Math.max(across, down) : Math.min(across, down);
  return { width: atLeastOnePixel(a * unit), height: atLeastOnePixel(b * unit) };
}

export function targetOf(source: Size, box: Box, fit: Fit): Target {
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

/** The largest part of the source that has the proportions of the box. */
export function largestPart(source: Size, box: Size): Size {
  return shrunk(box, Math.max(box.width / source.width, box.height / source.height));
}

/** What stays when a part is cut out: as near to the focus as the edges allow, which is a point (0 to 1 each way). */
export function regionAround(source: Size, part: Size, focus: Point): Region {
  const start = (whole: number, length: number, at: number): number =>
    Math.max(0, Math.min(whole - length, Math.floor(whole * at - length / 2)));
  return {
    left: start(source.width, part.width, focus.x),
    top: start(source.height, part.height, focus.y),
    width: part.width,
    height: part.height,
  };
}

/** The size of the upright box around a picture that was turned. */
export function turnedSize({ width, height }: Size, degrees: number): Size {
  if (degrees % 180 === 0) return { width, height };
  if (degrees % 90 === 0) return { width: height, height: width };
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  return {
    width: atLeastOnePixel(width * cos + height * sin),
    height: atLeastOnePixel(width * sin + height * cos),
  };
}

/** Where a point of a picture lies once that is turned and mirrored. */
export function turnedPoint(
  point: Point,
  source: Size,
  turn: { degrees: number; flop: boolean; flip: boolean },
): Point {
  const radians = (turn.degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const [dx, dy] = [(point.x - 0.5) * source.width, (point.y - 0.5) * source.height];
  const turned = turnedSize(source, turn.degrees);
  const x = (dx * cos - dy * sin) / turned.width + 0.5;
  const y = (dx * sin + dy * cos) / turned.height + 0.5;
  return { x: turn.flop ? 1 - x : x, y: turn.flip ? 1 - y : y };
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
