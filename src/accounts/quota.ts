// What an account has used up, taken and given back in the transaction of its cause. Each taking is one conditional
// UPDATE that looks up the limit itself, so it is exact however many run at once, also while the limit changes.
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../platform/database/database.ts';
import { type Statement, statement } from '../platform/database/statement.ts';
import { AppError, type ErrorCode } from '../platform/errors.ts';
import { effectiveLimit } from './effective-limit.ts';
import { isFull, isRoomy } from './full-storage.ts';
import type { Limits } from './limits.ts';

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

/** Comes before all takings: refused when the account is gone, so that nobody is told of its limit instead. */
export function holdAccount(accountId: string): Statement {
  return hold({ account_id: accountId }, () => new AppError('account_not_found'));
}

const hold = statement<'account_id'>(
  (p) => sql`update accounts set next_seq = next_seq where account_id = ${p('account_id')}`,
);

/** Takes room for one image, and the account's next place in the order of its objects. */
export function takeStorage(accountId: string, bytes: number): Statement {
  return takeOf.storage({ account_id: accountId, amount: bytes }, exceeded(storage));
}

/** The same for a film, which counts in seconds and not in bytes. */
export function takeVideo(accountId: string, seconds: number): Statement {
  return takeOf.video({ account_id: accountId, amount: seconds }, exceeded(video));
}

/** What a film counts: its seconds, rounded up, at least one. */
export function countedSeconds(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / 1000));
}

export function giveBackStorage(tx: Tx, accountId: string, bytes: number, objects: number): Promise<void> {
  return giveBack(tx, accountId, storage, bytes, objects);
}

export function giveBackVideo(tx: Tx, accountId: string, seconds: number, objects: number): Promise<void> {
  return giveBack(tx, accountId, video, seconds, objects);
}

const takeOf = { storage: taking(storage), video: taking(video) };

function taking(measure: Measure) {
  const marks = (amount: RawBuilder<unknown>) =>
    measure === storage
      ? sql`, storage_warned = case when ${isFull(amount)} then 1 else storage_warned end`
      : sql``;
  const used = sql.ref(measure.used);
  const limit = effectiveLimit(measure);
  return statement<'account_id' | 'amount'>(
    (p) => sql`update accounts
      set ${used} = ${used} + ${p('amount')}, object_count = object_count + 1, next_seq = next_seq + 1${marks(p('amount'))}
      where account_id = ${p('account_id')} and (${limit} is null or ${used} + ${p('amount')} <= ${limit})`,
  );
}

function exceeded(measure: Measure): () => Error {
  return () => new AppError(measure.exceeded);
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
      ...(measure === storage
        ? {
            storage_warned: sql<number>`case when ${isRoomy(sql`${-amount}`)} then 0 else storage_warned end`,
          }
        : {}),
    }))
    .where('account_id', '=', accountId)
    .execute();
}
