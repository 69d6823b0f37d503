// Takes the old background out of the colours of soft edges, which it would shine through. The colours of foreground and
// background around each place are estimated on a coarse grid, from pixels that are nearly pure; so the cost at full
// size is little more than a look at each pixel. After Forte, "Fast blur-fusion foreground estimation" (2021).
import type { Size } from '../rendering/geometry.ts';
import { boxBlur } from './box-blur.ts';
import { weightsAlong } from './plane.ts';
import type { Plane } from './plane.ts';

/** Cells along the longer side: fine enough to follow what is next to an edge. */
const gridSide = 400;
/** How far to look for pure colours, in cells. Each distance counts where the nearer ones found little. */
const radiiCells = [2, 6, 18];
const falling = 0.03;

/** Sums in each cell: red, green and blue times their weight, and the weights. */
type Grid = readonly [Plane, Plane, Plane, Plane];

/** Changes colours of partly transparent pixels in place; alpha and all other pixels stay as they are. */
export function cleanEdges(rgba: Uint8Array, size: Size): void {
  const cellPixels = Math.max(1, Math.round(Math.max(size.width, size.height) / gridSide));
  const [front, back] = collectColours(rgba, size, cellPixels).map(meanAround) as [Grid, Grid];
  const columns = weightsAlong(front[0].width, size.width);
  const rows = weightsAlong(front[0].height, size.height);
  for (let y = 0, at = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1, at += 4) {
      const alpha = rgba[at + 3]!;
      if (alpha === 0 || alpha === 255) continue;
      const share = alpha / 255;
      const place = {
        upper: rows.first[y]! * front[0].width,
        lower: rows.second[y]! * front[0].width,
        down: rows.share[y]!,
        left: columns.first[x]!,
        right: columns.second[x]!,
        across: columns.share[x]!,
      };
      for (let channel = 0; channel < 3; channel += 1) {
        const estimate = valueAt(front[channel]!.data, place);
        // Moved to where foreground and background, mixed by alpha, give the colour that is seen.
        const mixed = share * estimate + (1 - share) * valueAt(back[channel]!.data, place);
        const cleaned = Math.round(estimate + share * (rgba[at + channel]! - mixed));
        rgba[at + channel] = Math.max(0, Math.min(255, cleaned));
      }
    }
  }
}

function collectColours(rgba: Uint8Array, { width, height }: Size, cellPixels: number): [Grid, Grid] {
  const grid = { width: Math.ceil(width / cellPixels), height: Math.ceil(height / cellPixels) };
  const plane = (): Plane => ({ ...grid, data: new Float32Array(grid.width * grid.height) });
  const front: Grid = [plane(), plane(), plane(), plane()];
  const back: Grid = [plane(), plane(), plane(), plane()];
  for (let y = 0, at = 0; y < height; y += 1) {
    const row = Math.floor(y / cellPixels) * grid.width;
    for (let x = 0; x < width; x += 1, at += 4) {
      const cell = row + Math.floor(x / cellPixels);
      const alpha = rgba[at + 3]!;
      if (alpha > 0) addColour(front, cell, rgba, at, purity(alpha / 255));
      if (alpha < 255) addColour(back, cell, rgba, at, purity(1 - alpha / 255));
    }
  }
  return [front, back];
}

/** Mixed colours hardly count, but they do where there is nothing else. */
function purity(share: number): number {
  const fourth = share * share * share * share;
  return fourth * fourth;
}

function addColour(grid: Grid, cell: number, rgba: Uint8Array, at: number, weight: number): void {
  grid[0].data[cell]! += rgba[at]! * weight;
  grid[1].data[cell]! += rgba[at + 1]! * weight;
  grid[2].data[cell]! += rgba[at + 2]! * weight;
  grid[3].data[cell]! += weight;
}

/** From sums to means, each over its neighbourhood. */
function meanAround(sums: Grid): Grid {
  const wide = sums.map((plane) => {
    const total = new Float32Array(plane.data.length);
    radiiCells.forEach((radius, index) => {
      const blurred = boxBlur(plane, radius).data;
      const factor = falling ** index;
      for (let at = 0; at < total.length; at += 1) total[at]! += blurred[at]! * factor;
    });
    return { width: plane.width, height: plane.height, data: total };
  }) as unknown as Grid;
  const weights = wide[3].data;
  for (const { data } of wide.slice(0, 3)) {
    for (let at = 0; at < data.length; at += 1) data[at] = weights[at]! > 0 ? data[at]! / weights[at]! : 0;
  }
  return wide;
}

type Place = {
  readonly upper: number;
  readonly lower: number;
  readonly down: number;
  readonly left: number;
  readonly right: number;
  readonly across: number;
};

function valueAt(data: Float32Array, { upper, lower, down, left, right, across }: Place): number {
  const above = data[upper + left]! * (1 - across) + data[upper + right]! * across;
  const below = data[lower + left]! * (1 - across) + data[lower + right]! * across;
  return above * (1 - down) + below * down;
}
