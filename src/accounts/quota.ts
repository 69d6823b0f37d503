// What an account has used up, taken and given back in the transaction of its cause. Each taking is one conditional
// UPDATE that looks up the limit itself, so it is exact however many run at once, also while the limit changes.
import { sql } from 'kysely';
import type { Tx } from '../platform/database/database.ts';
import { AppError, type ErrorCode } from '../platform/errors.ts';
import { type Limits, tierLimits } from './limits.ts';

type Measure = {
  used: 'storage_used_bytes' | 'video_seconds_used';
  ownLimit: 'storage_limit_bytes' | 'video_seconds_limit';
  tierLimit: keyof Limits;
  exceeded: ErrorCode;
};

const storage: Measure = {
  used: 'storage_used_bytes',
  ownLimit: 'storage_limit_bytes',
  tierLimit: 'storageBytes',
  exceeded: 'storage_limit_exceeded',
};
const video: Measure = {
  used: 'video_seconds_used',
  ownLimit: 'video_seconds_limit',
  tierLimit: 'videoSeconds',
  exceeded: 'video_limit_exceeded',
};

/** Takes room for one image; `seq` is its place in the account's order of objects. */
export function takeStorage(tx: Tx, accountId: string, bytes: number): Promise<{ seq: number }> {
  return take(tx, accountId, storage, bytes);
}

/** The same for a film, which counts in seconds and not in bytes. */
export function takeVideo(tx: Tx, accountId: string, seconds: number): Promise<{ seq: number }> {
  return take(tx, accountId, video, seconds);
}

export function giveBackStorage(tx: Tx, accountId: string, bytes: number, objects: number): Promise<void> {
  return giveBack(tx, accountId, storage, bytes, objects);
}

export function giveBackVideo(tx: Tx, accountId: string, seconds: number, objects: number): Promise<void> {
  return giveBack(tx, accountId, video, seconds, objects);
}

async function take(tx: Tx, accountId: string, measure: Measure, amount: number): Promise<{ seq: number }> {
  const limit = effectiveLimit(measure);
  const taken = await tx
    .updateTable('accounts')
    .set((eb) => ({
      [measure.used]: eb(measure.used, '+', amount),
      object_count: eb('object_count', '+', 1),
      next_seq: eb('next_seq', '+', 1),
    }))
    .where('account_id', '=', accountId)
    .where(sql<boolean>`(${limit} is null or ${sql.ref(measure.used)} + ${amount} <= ${limit})`)
    .returning('next_seq')
    .executeTakeFirst();
  if (taken) return { seq: taken.next_seq - 1 };
  const account = await tx
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  throw new AppError(account ? measure.exceeded : 'account_not_found');
}

async function giveBack(
  tx: Tx,
  accountId: string,
  measure: Measure,
  amount: number,
  objects: number,
): Promise<void> {
  await tx
    .updateTable('accounts')
    .set((eb) => ({
      [measure.used]: eb(measure.used, '-', amount),
      object_count: eb('object_count', '-', objects),
    }))
    .where('account_id', '=', accountId)
    .execute();
}

/** `limitsOf` in SQL: the account's own limit or its tier's; null is none. */
function effectiveLimit({ ownLimit, tierLimit }: Measure) {
  const cases = Object.entries(tierLimits).flatMap(([tier, limits]) => {
    const limit = limits[tierLimit];
    return limit === null ? [] : [sql`when ${sql.lit(tier)} then ${sql.lit(limit)}`];
  });
  return sql<number | null>`coalesce(${sql.ref(ownLimit)}, case tier ${sql.join(cases, sql` `)} end)`;
}
