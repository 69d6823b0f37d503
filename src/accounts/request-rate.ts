// How many API requests an account may make: a fixed window per account, counted in the memory of one process of the
// service, or in the database for all nodes.
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Database } from '../platform/database/database.ts';

export type Rate = {
  allowed: boolean;
  quota: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
};

export type RequestRate = { count(accountId: string, perMinute: number): Promise<Rate> };

/** How many were counted under a name within its window, with this one, and when the window ends. */
export type Counted = { consumedPoints: number; msBeforeNext: number };
export type CountOne = (name: string, window: { quota: number; seconds: number }) => Promise<Counted>;

export const limiterOptions = { points: Number.MAX_SAFE_INTEGER, duration: 60 };

/** As the database is shared, or not. */
export async function openRequestRate(database: Database): Promise<RequestRate> {
  if (database.engine === 'sqlite') return createRequestRate();
  const { countInDatabase } = await import('./request-rate-shared.ts');
  return createRequestRate(countInDatabase(database));
}

export function createRequestRate(countOne: CountOne = countInMemory()): RequestRate {
  return {
    async count(accountId, perMinute) {
      const { quota, windowSeconds } = wholeWindow(perMinute);
      // The limit is part of the name: a changed one takes effect with the next request, in a window of its own.
      const counted = await countOne(`${accountId} ${perMinute}`, { quota, seconds: windowSeconds });
      return {
        allowed: counted.consumedPoints <= quota,
        quota,
        windowSeconds: Math.ceil(windowSeconds),
        remaining: Math.max(0, quota - counted.consumedPoints),
        resetSeconds: Math.max(1, Math.ceil(counted.msBeforeNext / 1000)),
      };
    },
  };
}

export function countInMemory(): CountOne {
  const counters = new RateLimiterMemory(limiterOptions);
  return (name, { seconds }) => counters.penalty(name, 1, { customDuration: seconds });
}

/** Nobody can make half a request: 2.5 a minute are 2 in 48 seconds, 0.5 a minute is 1 in 120. */
function wholeWindow(perMinute: number): { quota: number; windowSeconds: number } {
  const quota = Math.max(1, Math.floor(perMinute));
  return { quota, windowSeconds: (60 * quota) / perMinute };
}

/** Both spellings in use: the structured fields of the current draft and the three headers older clients read. */
export function rateHeaders(rate: Rate): Record<string, string> {
  return {
    'RateLimit-Policy': `"api";q=${rate.quota};w=${rate.windowSeconds}`,
    RateLimit: `"api";r=${rate.remaining};t=${rate.resetSeconds}`,
    'RateLimit-Limit': String(rate.quota),
    'RateLimit-Remaining': String(rate.remaining),
    'RateLimit-Reset': String(rate.resetSeconds),
  };
}
