// What each tier may use, and what one account may: its own value where the operator set one, else its tier's.
import type { Account, Tier } from './tables.ts';

/** Null is no limit. */
export type Limits = {
  storageBytes: number | null;
  videoSeconds: number | null;
  requestsPerMinute: number | null;
  variantsPerMinute: number | null;
  /** New variants that may be made at once before the refill counts. */
  variantsBurst: number | null;
  maxImageBytes: number | null;
  maxVideoBytes: number | null;
};

const megabyte = 1024 ** 2;
const gigabyte = 1024 ** 3;

export const tierLimits = {
  free: {
    storageBytes: 100 * megabyte,
    videoSeconds: 30 * 60,
    requestsPerMinute: 120,
    variantsPerMinute: 60,
    variantsBurst: 1000,
    maxImageBytes: 25 * megabyte,
    maxVideoBytes: 500 * megabyte,
  },
  pro: {
    storageBytes: 10 * gigabyte,
    videoSeconds: 1000 * 60,
    requestsPerMinute: 1200,
    variantsPerMinute: 600,
    variantsBurst: 5000,
    maxImageBytes: 100 * megabyte,
    maxVideoBytes: 5 * gigabyte,
  },
  enterprise: {
    storageBytes: null,
    videoSeconds: null,
    requestsPerMinute: null,
    variantsPerMinute: null,
    variantsBurst: null,
    maxImageBytes: null,
    maxVideoBytes: null,
  },
} as const satisfies Record<Tier, Limits>;

type LimitColumns = Pick<
  Account,
  'tier' | 'storage_limit_bytes' | 'video_seconds_limit' | 'rate_limit_per_minute' | 'variants_per_minute'
>;

export function limitsOf(account: LimitColumns): Limits {
  const tier: Limits = tierLimits[account.tier];
  const ownVariants = account.variants_per_minute;
  return {
    ...tier,
    storageBytes: account.storage_limit_bytes ?? tier.storageBytes,
    videoSeconds: account.video_seconds_limit ?? tier.videoSeconds,
    requestsPerMinute: account.rate_limit_per_minute ?? tier.requestsPerMinute,
    variantsPerMinute: ownVariants ?? tier.variantsPerMinute,
    variantsBurst: ownVariants === null ? tier.variantsBurst : burstFor(ownVariants, account.tier),
  };
}

/** A refill of its own keeps the tier's proportion of burst to refill; enterprise, which has none, borrows pro's. */
function burstFor(variantsPerMinute: number, tier: Tier): number {
  const { variantsBurst, variantsPerMinute: refill } = tierLimits[tier === 'free' ? 'free' : 'pro'];
  return Math.ceil((variantsPerMinute * variantsBurst) / refill);
}
