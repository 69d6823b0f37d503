// The guided filter of He, Sun and Tang with a guide in colour: smooths a matte while its edges follow those of the
// picture. Inside each small window the matte is taken for a linear function of the colours.
import { boxBlur } from './box-blur.ts';
import type { Plane } from './plane.ts';
import { resizePlane, weightsAlong } from './plane.ts';
import type { Size } from '../rendering/geometry.ts';

/** Red, green and blue, 0 to 1. */
export type Guide = readonly [Plane, Plane, Plane];

/** The matte at each pixel is red·r + green·g + blue·b + offset. */
export type LinearModel = {
  readonly red: Plane;
  readonly green: Plane;
  readonly blue: Plane;
  readonly offset: Plane;
};

export type GuidedFilterOptions = {
  readonly radius: number;
  /** Differences of colour whose square is well below this count as noise. */
  readonly epsilon: number;
};

export function fitGuidedFilter(guide: Guide, matte: Plane, options: GuidedFilterOptions): LinearModel {
  const { radius, epsilon } = options;
  const { width, height } = matte;
  const mean = (plane: Plane): Float32Array => boxBlur(plane, radius).data;
  const meanOf = (a: Plane, b: Plane): Float32Array => mean(multiply(a, b));
  const [r, g, b] = guide;
  const means: Means = {
    r: mean(r),
    g: mean(g),
    b: mean(b),
    m: mean(matte),
    rr: meanOf(r, r),
    rg: meanOf(r, g),
    rb: meanOf(r, b),
    gg: meanOf(g, g),
    gb: meanOf(g, b),
    bb: meanOf(b, b),
    rm: meanOf(r, matte),
    gm: meanOf(g, matte),
    bm: meanOf(b, matte),
  };
  const [red, green, blue, offset] = solveWindows(means, epsilon);
  const smooth = (data: Float32Array): Plane => boxBlur({ width, height, data }, radius);
  return { red: smooth(red), green: smooth(green), blue: smooth(blue), offset: smooth(offset) };
}

/** Of colours, of the matte, and of their products, in the window around each pixel. */
type Means = Readonly<
  Record<'r' | 'g' | 'b' | 'm' | 'rr' | 'rg' | 'rb' | 'gg' | 'gb' | 'bb' | 'rm' | 'gm' | 'bm', Float32Array>
>;

function solveWindows(
  means: Means,
  epsilon: number,
): [Float32Array, Float32Array, Float32Array, Float32Array] {
  const { r, g, b, m } = means;
  const empty = (): Float32Array => new Float32Array(m.length);
  const [red, green, blue, offset] = [empty(), empty(), empty(), empty()];
  for (let at = 0; at < m.length; at += 1) {
    const [mr, mg, mb, mm] = [r[at]!, g[at]!, b[at]!, m[at]!];
    // The covariance of the colours is symmetric: six numbers, inverted by their cofactors.
    const rr = means.rr[at]! - mr * mr + epsilon;
    const rg = means.rg[at]! - mr * mg;
    const rb = means.rb[at]! - mr * mb;
    const gg = means.gg[at]! - mg * mg + epsilon;
    const gb = means.gb[at]! - mg * mb;
    const bb = means.bb[at]! - mb * mb + epsilon;
    const cr = means.rm[at]! - mr * mm;
    const cg = means.gm[at]! - mg * mm;
    const cb = means.bm[at]! - mb * mm;
    const irr = gg * bb - gb * gb;
    const irg = gb * rb - rg * bb;
    const irb = rg * gb - gg * rb;
    const igg = rr * bb - rb * rb;
    const igb = rb * rg - rr * gb;
    const ibb = rr * gg - rg * rg;
    const scale = 1 / (rr * irr + rg * irg + rb * irb);
    red[at] = (irr * cr + irg * cg + irb * cb) * scale;
    green[at] = (irg * cr + igg * cg + igb * cb) * scale;
    blue[at] = (irb * cr + igb * cg + ibb * cb) * scale;
    offset[at] = mm - red[at]! * mr - green[at]! * mg - blue[at]! * mb;
  }
  return [red, green, blue, offset];
}

/** The model may be smaller than the picture: its numbers change slowly, the picture brings the detail. */
export function applyLinearModel(model: LinearModel, rgb: Uint8Array, { width, height }: Size): Plane {
  const data = new Float32Array(width * height);
  const { width: modelWidth, height: modelHeight } = model.red;
  const rows = weightsAlong(modelHeight, height);
  const planes = [model.red, model.green, model.blue, model.offset];
  const row = planes.map(() => ({ width: modelWidth, height: 1, data: new Float32Array(modelWidth) }));
  for (let y = 0, to = 0; y < height; y += 1) {
    planes.forEach((plane, index) => {
      mixRows(plane, rows.first[y]!, rows.second[y]!, rows.share[y]!, row[index]!.data);
    });
    const wide = row.map((narrow) => resizePlane(narrow, { width, height: 1 }).data);
    const [red, green, blue, offset] = wide as [Float32Array, Float32Array, Float32Array, Float32Array];
    for (let x = 0; x < width; x += 1, to += 1) {
      const from = to * 3;
      const colour = red[x]! * rgb[from]! + green[x]! * rgb[from + 1]! + blue[x]! * rgb[from + 2]!;
      data[to] = colour / 255 + offset[x]!;
    }
  }
  return { width, height, data };
}

function mixRows(plane: Plane, first: number, second: number, share: number, into: Float32Array): void {
  const upper = first * plane.width;
  const lower = second * plane.width;
  for (let x = 0; x < into.length; x += 1) {
    into[x] = plane.data[upper + x]! * (1 - share) + plane.data[lower + x]! * share;
  }
}

function multiply(a: Plane, b: Plane): Plane {
  const data = new Float32Array(a.data.length);
  for (let at = 0; at < data.length; at += 1) data[at] = a.data[at]! * b.data[at]!;
  return { width: a.width, height: a.height, data };
}
