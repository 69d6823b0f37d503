// How many new variants may be made of a bucket's originals: an allowance that refills, of which one client can take half.
import { Lru } from '../../lib/lru.ts';
import { AppError } from '../../platform/errors.ts';

const maxBuckets = 50_000;
const maxClients = 200_000;
const clientShare = 0.5;
const longestWaitSeconds = 3600;

export type Allowance = { readonly perMinute: number; readonly burst: number };
type Level = { left: number; at: number };

export class VariantBudget {
  readonly #buckets = new Lru<string, Level>(maxBuckets);
  readonly #clients = new Lru<string, Level>(maxClients);

  /** Throws 429 when there is none left. Returns what gives it back, for work that was not done. */
  take(bucketId: string, client: string, allowance: Allowance): () => void {
    const half = {
      perMinute: allowance.perMinute * clientShare,
      burst: Math.max(1, allowance.burst * clientShare),
    };
    const levels = [
      { level: refilled(this.#buckets, bucketId, allowance), allowance },
      { level: refilled(this.#clients, `${bucketId} ${client}`, half), allowance: half },
    ];
    for (const { level, allowance: limit } of levels) if (level.left < 1) throw exhausted(level, limit);
    for (const { level } of levels) level.left -= 1;
    return () => {
      for (const { level } of levels) level.left += 1;
    };
  }
}

function refilled(levels: Lru<string, Level>, key: string, { perMinute, burst }: Allowance): Level {
  const now = Date.now();
  const level = levels.get(key) ?? { left: burst, at: now };
  level.left = Math.min(burst, level.left + ((now - level.at) / 60_000) * perMinute);
  level.at = now;
  levels.set(key, level);
  return level;
}

function exhausted({ left }: Level, { perMinute, burst }: Allowance): AppError {
  const seconds = perMinute > 0 ? ((1 - left) / perMinute) * 60 : longestWaitSeconds;
  const wait = Math.max(1, Math.min(longestWaitSeconds, Math.ceil(seconds)));
  return new AppError('rate_limited', undefined, {
    headers: {
      'Retry-After': String(wait),
      'RateLimit-Policy': `"variants";q=${Math.floor(burst)};w=60`,
      RateLimit: `"variants";r=0;t=${wait}`,
    },
  });
}
