// Which qualities a stream elsewhere has: their APIs do not say, but the master playlist does.
import type { GuardedFetch } from '../../platform/egress/guarded-fetch.ts';
import type { Rendition } from '../film.ts';

const maxBytes = 256 * 1024;

export type PlaylistFetch = { guardedFetch: GuardedFetch; signal: AbortSignal };

/** Empty when it cannot be learnt: the stream can be played all the same. */
export async function readRenditions(
  url: string,
  { guardedFetch, signal }: PlaylistFetch,
): Promise<Rendition[]> {
  try {
    const answer = await guardedFetch(url, { signal, redirect: 'error' });
    if (answer.ok && answer.body) return renditionsIn(await beginningOf(answer.body));
    await answer.body?.cancel();
    return [];
  } catch {
    return [];
  }
}

/** One for each size, with the highest bandwidth it is offered with. */
export function renditionsIn(playlist: string): Rendition[] {
  const bySize = new Map<string, Rendition>();
  for (const [, attributes = ''] of playlist.matchAll(/^#EXT-X-STREAM-INF:(.*)$/gm)) {
    const bandwidth = Number(/(?:^|,)BANDWIDTH=(\d{1,12})/.exec(attributes)?.[1] ?? 0);
    const [, width, height] = (/(?:^|,)RESOLUTION=(\d{1,5})x(\d{1,5})/.exec(attributes) ?? []).map(Number);
    if (!width || !height) continue;
    const known = bySize.get(`${width}x${height}`);
    if (known && known.bandwidth >= bandwidth) continue;
    bySize.set(`${width}x${height}`, { name: `${Math.min(width, height)}p`, width, height, bandwidth });
  }
  return [...bySize.values()].sort((left, right) => left.height - right.height);
}

async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
