// How many new variants may be made of a bucket's originals: an allowance that refills, of which one client can take half.
// Here counted in the memory of one process.
import { Lru } from '../../lib/lru.ts';
import { AppError } from '../../platform/errors.ts';

const maxBuckets = 50_000;
const maxClients = 200_000;
const clientShare = 0.5;
const longestWaitSeconds = 3600;

export type Allowance = { readonly perMinute: number; readonly burst: number };
/** What was left at a time. */
export type Level = { left: number; at: number };
export type GiveBack = () => void;

export interface VariantBudget {
  /** Rejects with 429 when there is none left. Resolves to what gives it back, for work that was not done. */
  take(bucketId: string, client: string, allowance: Allowance): Promise<GiveBack>;
}

/** One client must leave something to the others. */
export function shareOfClient({ perMinute, burst }: Allowance): Allowance {
  return { perMinute: perMinute * clientShare, burst: Math.max(1, burst * clientShare) };
}

export function levelAt({ left, at }: Level, { perMinute, burst }: Allowance, now: number): Level {
  return { left: Math.min(burst, left + (Math.max(0, now - at) / 60_000) * perMinute), at: now };
}

export class MemoryVariantBudget implements VariantBudget {
  readonly #buckets = new Lru<string, Level>(maxBuckets);
  readonly #clients = new Lru<string, Level>(maxClients);

  async take(bucketId: string, client: string, allowance: Allowance): Promise<GiveBack> {
    const share = shareOfClient(allowance);
    const levels = [
      { level: refilled(this.#buckets, bucketId, allowance), allowance },
      { level: refilled(this.#clients, `${bucketId} ${client}`, share), allowance: share },
    ];
    for (const { level, allowance: limit } of levels)
      if (level.left < 1) throw exhausted(limit, secondsUntilOne(level, limit));
    for (const { level } of levels) level.left -= 1;
    return () => {
      for (const { level } of levels) level.left += 1;
    };
  }
}

function refilled(levels: Lru<string, Level>, key: string, allowance: Allowance): Level {
  const now = Date.now();
  const level = levels.get(key) ?? { left: allowance.burst, at: now };
  Object.assign(level, levelAt(level, allowance, now));
  levels.set(key, level);
  return level;
}

export function secondsUntilOne({ left }: Level, { perMinute }: Allowance): number {
  const seconds = perMinute > 0 ? ((1 - left) / perMinute) * 60 : longestWaitSeconds;
  return Math.max(1, Math.min(longestWaitSeconds, Math.ceil(seconds)));
}

export function exhausted({ burst }: Allowance, waitSeconds: number): AppError {
  return new AppError('rate_limited', undefined, {
    headers: {
      'Retry-After': String(waitSeconds),
      'RateLimit-Policy': `"variants";q=${Math.floor(burst)};w=60`,
      RateLimit: `"variants";r=0;t=${waitSeconds}`,
    },
  });
}
