// Answers kept for a day under the client's Idempotency-Key, so that a repeat after a lost answer stores nothing twice.
import { sql } from 'kysely';
import type { Tx } from '../platform/database/database.ts';
import { type Statement, statement } from '../platform/database/statement.ts';
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

/** Changes nothing where an answer is kept already: then the request is a repeat. */
export function rememberFirst(
  accountId: string,
  key: string,
  answer: string,
  orElse: () => Error,
): Statement {
  const now = Date.now();
  return insertUnlessKept({ account_id: accountId, key, answer, now, expired: now - keepForMs }, orElse);
}

const insertUnlessKept = statement<'account_id' | 'key' | 'answer' | 'now' | 'expired'>(
  (p) => sql`insert into idempotency (account_id, key, answer, created_at)
    values (${p('account_id')}, ${p('key')}, ${p('answer')}, ${p('now')})
    on conflict (account_id, key) do update set answer = excluded.answer, created_at = excluded.created_at
    where idempotency.created_at <= ${p('expired')}`,
);

export async function forgetOldAnswers(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('idempotency')
    .where('created_at', '<', Date.now() - keepForMs)
    .execute();
}
