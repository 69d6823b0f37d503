// Whoever comes to 95% of their storage is told once, and again only after use fell below 90%. Noticed in the transaction
// that takes the storage, by statements that change nothing for all others.
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../platform/database/database.ts';
import { runStatements, type Statement, statement } from '../platform/database/statement.ts';
import { enqueueing, unclaimed } from '../platform/jobs/jobs.ts';
import { randomHex } from '../platform/random.ts';
import { effectiveLimit } from './effective-limit.ts';

/** What the job that tells of it gets. */
export type StorageCrossing = {
  account_id: string;
  /** Names this crossing. */
  crossing: string;
  used_bytes: number;
  limit_bytes: number;
};
export const warningKind = 'storage-warning';

/** Comes before `takeStorage`, which marks the account as told: leaves a job when these bytes make storage nearly full. */
export function noticeFullStorage(accountId: string, bytes: number): Statement {
  const now = Date.now();
  const id = now.toString(16).padStart(12, '0') + randomHex(6);
  const opening = JSON.stringify({ account_id: accountId, crossing: id }).slice(0, -1);
  return enqueueWhenFull({ account_id: accountId, amount: bytes, job_id: `job_${id}`, now, opening });
}

/** After a change of the limit: tells, or makes it possible to tell again. */
export async function settleFullStorage(tx: Tx, accountId: string): Promise<void> {
  await runStatements(tx, [noticeFullStorage(accountId, 0), markAsTold(accountId)]);
}

/** Without telling: for an account that comes back from a backup as full as it was. */
export function markAsTold(accountId: string): Statement {
  return markWhenFull({ account_id: accountId });
}

const storageLimit = effectiveLimit({ ownLimit: 'storage_limit_bytes', tierLimit: 'storageBytes' });
const fullPercent = sql.lit(95);
const roomyPercent = sql.lit(90);

/** Whether storage is that full with so much more in it. */
export function isFull(more: RawBuilder<unknown>) {
  return sql<boolean>`(${storageLimit} > 0 and (storage_used_bytes + ${more}) * 100 >= ${storageLimit} * ${fullPercent})`;
}

/** Whether there is so much room, with so much more in it, that the account may be told anew. */
export function isRoomy(more: RawBuilder<unknown>) {
  return sql<boolean>`(${storageLimit} is null or (storage_used_bytes + ${more}) * 100 < ${storageLimit} * ${roomyPercent})`;
}

const enqueueWhenFull = statement<'account_id' | 'amount' | 'job_id' | 'now' | 'opening'>((p) =>
  enqueueing(sql`select cast(${p('job_id')} as text), ${sql.lit(warningKind)}, account_id,
      cast(${p('opening')} as text) || ',"used_bytes":' || cast(storage_used_bytes + ${p('amount')} as text)
        || ',"limit_bytes":' || cast(${storageLimit} as text) || '}',
      cast(${p('now')} as bigint), cast(${p('now')} as bigint), ${unclaimed}
    from accounts where account_id = ${p('account_id')} and storage_warned = 0 and ${isFull(p('amount'))}`),
);

const nothing = sql.lit(0);
const markWhenFull = statement<'account_id'>(
  (p) => sql`update accounts
    set storage_warned = case when ${isFull(nothing)} then 1 when ${isRoomy(nothing)} then 0 else storage_warned end
    where account_id = ${p('account_id')}`,
);
