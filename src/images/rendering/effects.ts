// What tokens do to colours and sharpness, as numbers the image library takes.
import type { TokenValues } from '../address/tokens.ts';

export type Effects = {
  readonly blurSigma: number | null;
  /** How much edges are raised; 1 is the library's usual. */
  readonly sharpen: number | null;
  readonly brightness: number;
  readonly saturation: number;
  readonly hue: number;
  /** Factor around the middle grey. */
  readonly contrast: number;
  /** Above 1 the middle tones are lighter. */
  readonly gamma: number;
  readonly gray: boolean;
  readonly sepia: boolean;
  readonly invert: boolean;
};

const names = ['blur', 'sharp', 'bri', 'con', 'sat', 'gam', 'hue', 'gray', 'invert', 'sepia'] as const;
const strongestGamma = 3;
const usualSharpness = 50;

/** Null when nothing is asked for. */
export function effectsOf(tokens: TokenValues): Effects | null {
  if (names.every((name) => tokens[name] === undefined)) return null;
  const { blur, sharp, bri = 0, con = 0, sat = 0, gam = 0, hue = 0, dpr = 1 } = tokens;
  return {
    blurSigma: blur === undefined ? null : Math.max(0.3, blur * dpr),
    sharpen: sharp === undefined ? null : sharp / usualSharpness,
    brightness: 1 + bri / 100,
    saturation: 1 + sat / 100,
    hue,
    contrast: 1 + con / 100,
    gamma: strongestGamma ** (gam / 100),
    gray: tokens.gray === true,
    sepia: tokens.sepia === true,
    invert: tokens.invert === true,
  };
}

/** Whether a pixel's neighbours matter: then the frames of an animation must be worked on one by one. */
export function mixesNeighbours(effects: Effects | null): boolean {
  return effects !== null && (effects.blurSigma !== null || effects.sharpen !== null);
}
