// Writes down what happened, in the transaction in which it happened; who is told of it is settled later (`fan-out.ts`).
// One statement, which writes nothing when nobody of the account listens: most uploads concern nobody.
import { sql } from 'kysely';
import type { Tx } from '../platform/database/database.ts';
import { runStatements, type Statement, statement } from '../platform/database/statement.ts';
import { randomHex } from '../platform/random.ts';
import type { EventType, testType } from './event-types.ts';

export type NewEvent = {
  accountId: string;
  type: EventType;
  data: object;
  at?: number;
  /** For who may come to record the same event twice: it is delivered once. */
  eventId?: string;
};

export async function recordEvent(tx: Tx, event: NewEvent): Promise<void> {
  await runStatements(tx, eventStatements(event));
}

export function eventStatements({ accountId, type, data, at = Date.now(), eventId }: NewEvent): Statement[] {
  return [
    insertIfWanted({
      event_id: eventId ?? newEventId(at),
      account_id: accountId,
      type,
      body: eventBody(type, data, at),
    }),
  ];
}

export function eventBody(type: EventType | typeof testType, data: object, at: number): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** In the order of time. */
export function newEventId(at: number): string {
  return `evt_${at.toString(16).padStart(12, '0')}${randomHex(6)}`;
}

/** What is searched for is put together in the statement: SQLite plans anew whenever a pattern itself is a parameter. */
const insertIfWanted = statement<'event_id' | 'account_id' | 'type' | 'body'>(
  (p) => sql`insert into events (event_id, account_id, type, body)
    select cast(${p('event_id')} as text), cast(${p('account_id')} as text), cast(${p('type')} as text), cast(${p('body')} as text)
    where exists (
      select 1 from webhooks where account_id = ${p('account_id')} and enabled = 1 and events like '% ' || cast(${p('type')} as text) || ' %'
    )
    on conflict (event_id) do nothing`,
);
