// Settles the format `auto`: the smallest one the client says it can show, and otherwise one that everything shows.
import { formats } from './formats.ts';
import type { Format } from './formats.ts';
import { type RequestedTransformation, type VariantTransformation, withFormat } from './transformation.ts';

const smallestFirst = ['avif', 'webp'] as const satisfies readonly Format[];

/** What a client can show, as far as it matters here: answers to clients of one kind are the same. */
export type ClientKind = 'avif and webp' | 'avif' | 'webp' | 'any';

export function clientKind(accept: string | undefined): ClientKind {
  const accepted = acceptedTypes(accept ?? '');
  const [avif, webp] = smallestFirst.map((format) => accepted.has(formats[format].mediaType));
  if (avif) return webp ? 'avif and webp' : 'avif';
  return webp ? 'webp' : 'any';
}

export function negotiateFormat(
  kind: ClientKind,
  { alpha, moves = false }: { alpha: boolean; moves?: boolean },
): 'avif' | 'webp' | 'png' | 'jpg' {
  if (kind === 'any') return alpha ? 'png' : 'jpg';
  // AVIF would stop an animation.
  if (kind === 'webp' || (kind === 'avif and webp' && moves)) return 'webp';
  return 'avif';
}

/** What is made of an original for a client of this kind. */
export function settleFormat(
  asked: RequestedTransformation,
  source: { readonly frames: number; readonly alpha: number },
  kind: ClientKind,
): VariantTransformation {
  if (asked.format !== 'auto') return withFormat(asked, asked.format as Format);
  const { anim, page, t } = asked.tokens;
  const moves = source.frames > 1 && anim === undefined && page === undefined && t === undefined;
  return withFormat(asked, negotiateFormat(kind, { alpha: hasAlpha(source.alpha === 1, asked), moves }));
}

/** Also what becomes transparent on the way. */
function hasAlpha(ofSource: boolean, { tokens }: RequestedTransformation): boolean {
  if (tokens.bg?.alpha === 1) return false;
  const filled = tokens.pad !== undefined || tokens.fit === 'contain' || (tokens.rot ?? 0) % 90 !== 0;
  const isSheer = tokens.border !== undefined && tokens.border[1].alpha < 1;
  return ofSource || filled || isSheer || tokens.r !== undefined || tokens['bg-remove'] === true;
}

/** The types named outright: a wildcard says nothing about what a client can decode. */
function acceptedTypes(accept: string): Set<string> {
  const accepted = new Set<string>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    if (weight === undefined || Number(weight.slice(2)) > 0) accepted.add(type);
  }
  return accepted;
}
