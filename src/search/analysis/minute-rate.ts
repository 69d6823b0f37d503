// How many pictures of an account may still be begun in this minute: its provider bills or limits by the minute. Kept in the
// database, since the next slice of the account may be another node's.
import type { Database, Tx } from '../../platform/database/database.ts';
import type { AnalysisMinuteRow } from '../tables.ts';
import { holdAccount } from './hold-account.ts';

const windowMs = 60_000;

type Window = Pick<AnalysisMinuteRow, 'began_at' | 'taken'>;

/** Takes as many of the wanted as there is room for, and says how many. */
export async function takeFromMinute(
  database: Database,
  accountId: string,
  { wanted, perMinute }: { wanted: number; perMinute: number },
): Promise<number> {
  // Who finds no room looks often, and need not write for that.
  if (roomIn(await findWindow(database.read, accountId), perMinute, database.now()) <= 0) return 0;
  return database.write(async (tx) => {
    if (!(await holdAccount(tx, accountId))) return 0;
    const now = database.now();
    const window = await findWindow(tx, accountId);
    const count = Math.min(wanted, roomIn(window, perMinute, now));
    if (count <= 0) return 0;
    const next =
      window && !isOver(window, now)
        ? { began_at: window.began_at, taken: window.taken + count }
        : { began_at: now, taken: count };
    await tx
      .insertInto('analysis_minutes')
      .values({ account_id: accountId, ...next })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(next))
      .execute();
    return count;
  });
}

/** When there is room again; 0 where there is some. */
export async function nextRoomAt(
  source: Tx,
  accountId: string,
  { perMinute, now }: { perMinute: number; now: number },
): Promise<number> {
  const window = await findWindow(source, accountId);
  return window && roomIn(window, perMinute, now) <= 0 ? window.began_at + windowMs : 0;
}

function findWindow(source: Tx, accountId: string): Promise<Window | undefined> {
  return source
    .selectFrom('analysis_minutes')
    .select(['began_at', 'taken'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

function roomIn(window: Window | undefined, perMinute: number, now: number): number {
  return window && !isOver(window, now) ? perMinute - window.taken : perMinute;
}

/** Also when the clock was put back: otherwise nothing would be begun until it is that late again. */
function isOver({ began_at: beganAt }: Window, now: number): boolean {
  return now < beganAt || beganAt + windowMs <= now;
}
