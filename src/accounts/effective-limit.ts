// What limits an account, for statements that compare it with its use.
import { sql } from 'kysely';
import { type Limits, tierLimits } from './limits.ts';

export type OwnLimit = {
  ownLimit: 'storage_limit_bytes' | 'video_seconds_limit';
  tierLimit: keyof Limits;
};

/** `limitsOf` in SQL: the account's own limit or its tier's; null is none. */
export function effectiveLimit({ ownLimit, tierLimit }: OwnLimit) {
  const cases = Object.entries(tierLimits).flatMap(([tier, limits]) => {
    const limit = limits[tierLimit];
    return limit === null ? [] : [sql`when ${sql.lit(tier)} then ${sql.lit(limit)}`];
  });
  return sql<number | null>`coalesce(${sql.ref(ownLimit)}, case tier ${sql.join(cases, sql` `)} end)`;
}
