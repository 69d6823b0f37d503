// What a picture is cut around: a point of it, or what its content says.
import { type Point, type Size, turnedPoint } from './geometry.ts';
import type { Findings, Turn } from './plan.ts';
import type { Place, TokenValues } from '../address/tokens.ts';

export type Focus = Point | 'attention' | 'entropy';

/** A place as a point that lies so far out that the edges decide. */
const points: Readonly<Record<Place, Point>> = {
  center: { x: 0.5, y: 0.5 },
  top: { x: 0.5, y: 0 },
  bottom: { x: 0.5, y: 1 },
  left: { x: 0, y: 0.5 },
  right: { x: 1, y: 0.5 },
  'top-left': { x: 0, y: 0 },
  'top-right': { x: 1, y: 0 },
  'bottom-left': { x: 0, y: 1 },
  'bottom-right': { x: 1, y: 1 },
};

export function pointOf(place: Place): Point {
  return points[place];
}

/** In the picture as it is when it is cut: cropped, turned and mirrored. Places name what is seen then, faces do not. */
export function focusOf(
  tokens: TokenValues,
  used: Size & { readonly left?: number; readonly top?: number },
  turn: Turn | null,
  source: Size,
  { face }: Findings,
): Focus {
  if (tokens.fp !== undefined) return { x: tokens.fp[0], y: tokens.fp[1] };
  const place = tokens.g ?? 'center';
  if (place === 'entropy') return 'entropy';
  if (place === 'auto' || (place === 'face' && !face)) return 'attention';
  if (place !== 'face') return points[place];
  const { x, y } = face as Point;
  const inUsed = {
    x: (x * source.width - (used.left ?? 0)) / used.width,
    y: (y * source.height - (used.top ?? 0)) / used.height,
  };
  return turn === null ? inUsed : turnedPoint(inUsed, used, turn);
}
