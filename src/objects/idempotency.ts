// Answers kept for a day under the client's Idempotency-Key, so that a repeat after a lost answer stores nothing twice.
import type { Tx } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';

const keepForMs = 24 * 3600 * 1000;

export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new AppError('bad_request', 'Header "Idempotency-Key" must be 1 to 255 visible ASCII characters');
  }
  return header;
}

export async function recall(tx: Tx, accountId: string, key: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('idempotency')
    .select('answer')
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .where('created_at', '>', Date.now() - keepForMs)
    .executeTakeFirst();
  return row?.answer;
}

export async function remember(tx: Tx, accountId: string, key: string, answer: string): Promise<void> {
  const row = { account_id: accountId, key, answer, created_at: Date.now() };
  await tx
    .insertInto('idempotency')
    .values(row)
    .onConflict((conflict) => conflict.columns(['account_id', 'key']).doUpdateSet(row))
    .execute();
}

export async function forgetOldAnswers(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('idempotency')
    .where('created_at', '<', Date.now() - keepForMs)
    .execute();
}
