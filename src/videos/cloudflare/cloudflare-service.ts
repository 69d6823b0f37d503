// Speaks to Cloudflare Stream: four calls of plain JSON, for which its package of thousands of files is not needed.
import type { GuardedFetch } from '../../platform/egress/guarded-fetch.ts';
import { nonsense, ServiceError, type StreamingService } from '../elsewhere/streaming-service.ts';
import { readCloudflareVideo } from './cloudflare-video.ts';

export type CloudflareOptions = {
  accountId: string;
  apiToken: string;
  baseUrl?: string;
  guardedFetch: GuardedFetch;
};
type Call = { method: string; path: string; body?: unknown; signal: AbortSignal };

const title = 'Cloudflare Stream';

export function createCloudflareService(options: CloudflareOptions): StreamingService {
  const call = createCaller(options);
  const pathOf = (assetId: string): string => `/${encodeURIComponent(assetId)}`;
  return {
    name: 'cloudflare',
    title,
    /** The creator is ours to choose, and the one field a list can be filtered by exactly. */
    async find(generation, signal) {
      const path = `?creator=${encodeURIComponent(generation)}`;
      const videos = await call({ method: 'GET', path, signal });
      if (!Array.isArray(videos)) throw nonsense(title);
      const found = (videos as ({ creator?: unknown } | null)[]).find(
        (video) => video?.creator === generation,
      );
      return found ? readCloudflareVideo(found) : null;
    },
    async create({ originalUrl, generation }, signal) {
      const body = { url: originalUrl, creator: generation, meta: { name: generation } };
      return readCloudflareVideo(await call({ method: 'POST', path: '/copy', body, signal }));
    },
    look: async (assetId, signal) =>
      readCloudflareVideo(await call({ method: 'GET', path: pathOf(assetId), signal })),
    remove: async (assetId, signal) => void (await call({ method: 'DELETE', path: pathOf(assetId), signal })),
  };
}

/** Resolves with what they wrap as `result`. */
function createCaller(options: CloudflareOptions): (call: Call) => Promise<unknown> {
  const { accountId, apiToken, baseUrl = 'https://api.cloudflare.com/client/v4', guardedFetch } = options;
  const home = `${baseUrl}/accounts/${encodeURIComponent(accountId)}/stream`;
  return async ({ method, path, body, signal }) => {
    const answer = await guardedFetch(home + path, {
      method,
      headers: {
        Authorization: `Bearer ${apiToken}`,
        Accept: 'application/json',
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: 'error',
      signal,
    }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (!answer || typeof text !== 'string') throw new ServiceError(title, null);
    if (!answer.ok) throw refusalOf(answer, text);
    return (parsed(text) as { result?: unknown } | null)?.result ?? null;
  };
}

function refusalOf({ status, headers }: Response, text: string): ServiceError {
  const { errors } = (parsed(text) ?? {}) as { errors?: unknown };
  const words = (Array.isArray(errors) ? errors : [])
    .map((error) => (error as { message?: unknown } | null)?.message)
    .filter((message) => typeof message === 'string')
    .join('; ');
  return new ServiceError(title, { status, words, retryAfter: headers.get('retry-after') });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
