// How many API requests an account may make: a fixed window per account, in the memory of one process of the service.
import { RateLimiterMemory } from 'rate-limiter-flexible';

export type Rate = {
  allowed: boolean;
  quota: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
};

export type RequestRate = { count(accountId: string, perMinute: number): Promise<Rate> };

export function createRequestRate(): RequestRate {
  const counters = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 60 });
  return {
    async count(accountId, perMinute) {
      const { quota, windowSeconds } = wholeWindow(perMinute);
      // The limit is part of the name: a changed one takes effect with the next request, in a window of its own.
      const counted = await counters.penalty(`${accountId} ${perMinute}`, 1, {
        customDuration: windowSeconds,
      });
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
