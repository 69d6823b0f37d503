// What a model that finds the foreground wants to see: the size and scale of its input. The files do not say how colours
// are to be scaled, so it follows from the name of the file and the size of the input, as the known families have it.
import { basename } from 'node:path';
import type { Size } from '../rendering/geometry.ts';

export type Scaling = {
  /** Whether the brightest value becomes 1 first, as U²-Net was trained. */
  readonly byBrightest: boolean;
  readonly mean: readonly [number, number, number];
  readonly deviation: readonly [number, number, number];
};

const imageNet = { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] } as const;
const centred = { mean: [0.5, 0.5, 0.5], deviation: [1, 1, 1] } as const;
/** Models whose input may have any size were trained at this one. */
const freeSidePixels = 1024;

export function scalingFor(modelPath: string, input: Size): Scaling {
  const name = basename(modelPath).toLowerCase();
  if (/u2net|silueta/.test(name)) return { byBrightest: true, ...imageNet };
  if (/birefnet/.test(name)) return { byBrightest: false, ...imageNet };
  if (/modnet/.test(name)) return { byBrightest: false, ...centred, deviation: [0.5, 0.5, 0.5] };
  if (/isnet|rmbg|ben/.test(name)) return { byBrightest: true, ...centred };
  // IS-Net and its descendants look at a megapixel, U²-Net and its own at a tenth of that.
  return {
    byBrightest: true,
    ...(Math.max(input.width, input.height) >= freeSidePixels ? centred : imageNet),
  };
}

/** From the shape a model declares; null when it does not take one picture of three colours. */
export function inputSizeOf(shape: readonly (number | string)[]): Size | null {
  const [batch, colours, height, width] = shape;
  const takesOne = typeof batch !== 'number' || batch <= 1;
  if (shape.length !== 4 || !takesOne || (typeof colours === 'number' && colours !== 3 && colours > 0))
    return null;
  return { width: sideOf(width), height: sideOf(height) };
}

function sideOf(dimension: number | string | undefined): number {
  return typeof dimension === 'number' && dimension > 0 ? dimension : freeSidePixels;
}

/** Interleaved bytes become one plane for each colour. */
export function scaleColours(rgb: Uint8Array, scaling: Scaling): Float32Array {
  const pixels = rgb.length / 3;
  const result = new Float32Array(rgb.length);
  const white = scaling.byBrightest ? brightest(rgb) : 255;
  for (let colour = 0; colour < 3; colour += 1) {
    const factor = 1 / (white * scaling.deviation[colour]!);
    const shift = scaling.mean[colour]! / scaling.deviation[colour]!;
    for (let at = 0, to = colour * pixels; at < pixels; at += 1, to += 1) {
      result[to] = rgb[at * 3 + colour]! * factor - shift;
    }
  }
  return result;
}

function brightest(values: Uint8Array): number {
  let most = 1;
  for (const value of values) if (value > most) most = value;
  return most;
}
