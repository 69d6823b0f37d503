// What unpic asks of a provider: an address into its picture and operations, and back.
import { type Fit, type Format, image } from './image.ts';

export type Operations = {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly quality?: number | undefined;
  readonly format?: Format | undefined;
  readonly fit?: Fit | undefined;
};

export function extract(url: string): { src: string; operations: Operations } | null {
  const [, src, tokens, format] =
    /^(.+\/)([a-z][\w~-]*(?:\.\d[\w~-]*)*)(?:\.([a-z]+))?$/.exec(String(url)) ?? [];
  if (src === undefined || tokens === undefined) return null;
  const value = (name: string): string | undefined => new RegExp(`(?:^|_)${name}-([^_]+)`).exec(tokens)?.[1];
  const size = (name: string): number | undefined =>
    value(name) === undefined ? undefined : Number(value(name));
  const operations: Operations = {
    width: size('w'),
    height: size('h'),
    quality: value('q') === 'auto' ? undefined : size('q'),
    fit: value('fit') as Fit | undefined,
    format: format as Format | undefined,
  };
  return { src, operations };
}

export function generate(src: string, { width, height, quality, format, fit }: Operations): string {
  let picture = image(src).format(format ?? 'auto');
  if (width !== undefined) picture = picture.width(Math.round(Number(width)));
  if (height !== undefined) picture = picture.height(Math.round(Number(height)));
  if (quality !== undefined) picture = picture.quality(Number(quality));
  return (fit === undefined ? picture : picture.fit(fit)).url;
}

/** Changes what is given, and leaves every other token as it is. */
export function transform(src: string, operations: Operations): string {
  const given = extract(src);
  if (!given) return generate(src, operations);
  const changed = generate(given.src, { ...given.operations, ...withoutGaps(operations) });
  const others = src
    .slice(given.src.length)
    .replace(/\.[a-z]+$/, '')
    .split('_')
    .filter((token) => !/^(?:original$|(?:w|h|q|fit)-)/.test(token));
  if (others.length === 0) return changed;
  const [, base = '', tokens = '', format = ''] = /^(.*\/)(.+)(\.[a-z]+)$/.exec(changed) ?? [];
  const all = [...others, ...(tokens === 'original' ? [] : tokens.split('_'))];
  return base + all.toSorted().join('_') + format;
}

function withoutGaps(operations: Operations): Operations {
  return Object.fromEntries(Object.entries(operations).filter(([, value]) => value !== undefined));
}
