// Speaks to Mux by its own package, which is loaded when the first film is sent there.
import type { GuardedFetch } from '../../platform/egress/guarded-fetch.ts';
import type { Mux } from '@mux/mux-node';
import { generationTime } from '../../objects/object-keys.ts';
import { type Asset, ServiceError, type StreamingService } from '../elsewhere/streaming-service.ts';
import { readMuxAsset } from './mux-asset.ts';

export type MuxOptions = {
  tokenId: string;
  tokenSecret: string;
  baseUrl?: string;
  /** Where Mux serves streams; another only with a domain of one's own there. */
  streamUrl?: string;
  guardedFetch: GuardedFetch;
};

const title = 'Mux';
const pageSize = 100;
const maxPages = 50;
/** Their clock and ours need not agree. */
const clockToleranceMs = 3600_000;

type Caller = <Value>(ask: (mux: Mux) => PromiseLike<Value>) => Promise<Value>;

export function createMuxService(options: MuxOptions): StreamingService {
  const { streamUrl = 'https://stream.mux.com' } = options;
  const call = createCaller(options);
  const read = (asset: unknown): Asset => readMuxAsset(asset, streamUrl);
  return {
    name: 'mux',
    title,
    async find(generation, signal) {
      const found = await findAsset(call, generation, signal);
      return found === undefined ? null : read(found);
    },
    async create({ originalUrl, generation }, signal) {
      const wanted = {
        inputs: [{ url: originalUrl }],
        playback_policies: ['public' as const],
        passthrough: generation,
      };
      return read(await call((mux) => mux.video.assets.create(wanted, { signal })));
    },
    look: async (assetId, signal) =>
      read(await call((mux) => mux.video.assets.retrieve(assetId, { signal }))),
    remove: (assetId, signal) => call((mux) => mux.video.assets.delete(assetId, { signal })),
  };
}

/**
 * Mux cannot be asked for the assets of a film, so the newest are read back to the time of its upload: usually one page.
 * An asset missed here (behind 5,000 newer ones) stays there, paid for by the minute stored, until somebody deletes it by
 * hand; its passthrough is the film's generation.
 */
async function findAsset(call: Caller, generation: string, signal: AbortSignal): Promise<unknown> {
  const oldestMs = generationTime(generation) - clockToleranceMs;
  let cursor = '';
  for (let page = 0; page < maxPages; page += 1) {
    const query = { limit: pageSize, ...(cursor ? { cursor } : {}) };
    const { data, next_cursor } = await call((mux) => mux.video.assets.list(query, { signal }));
    const found = data.find((asset) => asset.passthrough === generation);
    const last = data.at(-1);
    if (found || !next_cursor || !last || !(Number(last.created_at) * 1000 >= oldestMs)) return found;
    cursor = next_cursor;
  }
  return undefined;
}

function createCaller(options: MuxOptions): Caller {
  let loading: Promise<Mux> | null = null;
  return async (ask) => {
    const mux = await (loading ??= loadClient(options));
    try {
      return await ask(mux);
    } catch (error) {
      throw toServiceError(error);
    }
  };
}

/** Everything the package would otherwise take from the environment is said here. */
async function loadClient({ tokenId, tokenSecret, baseUrl, guardedFetch }: MuxOptions): Promise<Mux> {
  const { Mux } = await import('@mux/mux-node');
  return new Mux({
    tokenId,
    tokenSecret,
    baseURL: baseUrl ?? 'https://api.mux.com',
    webhookSecret: null,
    jwtSigningKey: null,
    jwtPrivateKey: null,
    authorizationToken: null,
    logLevel: 'off',
    // A second try to create would make a second asset; the job tries again, and looks first.
    maxRetries: 0,
    fetchOptions: { redirect: 'error' },
    fetch: guardedFetch,
  });
}

function toServiceError(error: unknown): ServiceError {
  const { status, headers, error: body } = error as { status?: number; headers?: Headers; error?: unknown };
  if (typeof status !== 'number') return new ServiceError(title, null);
  return new ServiceError(title, {
    status,
    words: wordsIn(body),
    retryAfter: headers?.get('retry-after') ?? null,
  });
}

/** `{"error": {"type": …, "messages": […]}}`, of which the package may have taken the outer pair of braces off. */
function wordsIn(body: unknown): string {
  const outer = (body ?? {}) as { error?: unknown; messages?: unknown };
  const { messages } = (outer.error ?? outer) as { messages?: unknown };
  return Array.isArray(messages) ? messages.filter((message) => typeof message === 'string').join('; ') : '';
}
