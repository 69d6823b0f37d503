// Settles the format `auto`: the smallest one the client says it can show, and otherwise one that everything shows.
import { formats } from './formats.ts';
import type { Format } from './formats.ts';

const smallestFirst = ['avif', 'webp'] as const satisfies readonly Format[];

export function negotiateFormat(accept: string | undefined, alpha: boolean): 'avif' | 'webp' | 'png' | 'jpg' {
  const accepted = acceptedTypes(accept ?? '');
  const best = smallestFirst.find((format) => accepted.has(formats[format].mediaType));
  return best ?? (alpha ? 'png' : 'jpg');
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
