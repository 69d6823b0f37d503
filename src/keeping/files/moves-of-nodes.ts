// Which stores were moved elsewhere, for all nodes on one PostgreSQL database: each has a data folder of its own, and a note in
// one of them says nothing to the others.
import { type Kysely, sql } from 'kysely';
import type { Database, Tables } from '../../platform/database/database.ts';
import { watchSessionName } from '../../platform/database/postgres/pg-sessions.ts';
import { OperatorError } from '../../platform/errors.ts';
import { type MovedStore, withMove } from './moved-stores.ts';

const name = 'moved_stores';

export async function readMovesOfNodes(read: Kysely<Tables>): Promise<MovedStore[]> {
  const { rows } = await sql<{ value: string }>`
    select value from service_facts where name = ${name}`.execute(read);
  return rows[0] ? (JSON.parse(rows[0].value) as MovedStore[]) : [];
}

/** Nodes read it after they can be seen by `countOthers`: whoever starts now is counted there, or refuses to go on. */
export function noteMoveOfNodes(database: Database, moved: MovedStore): Promise<void> {
  return changeMoves(database, (known) => withMove(known, moved));
}

export function forgetUnfinishedMovesOfNodes(database: Database): Promise<void> {
  return changeMoves(database, (known) => known.filter(({ state }) => state === 'moved'));
}

async function changeMoves(
  database: Database,
  change: (known: readonly MovedStore[]) => MovedStore[],
): Promise<void> {
  await database.write(async (tx) => {
    await sql`insert into service_facts (name, value) values (${name}, '[]') on conflict (name) do nothing`.execute(
      tx,
    );
    await sql`select 1 from service_facts where name = ${name} for update`.execute(tx);
    const moves = JSON.stringify(change(await readMovesOfNodes(tx)));
    await sql`update service_facts set value = ${moves} where name = ${name}`.execute(tx);
  });
}

/** How many servers, workers and commands have the database open beside this one: each keeps a session by which it is known. */
export async function countOthers({ read }: Pick<Database, 'read'>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = ${watchSessionName}`.execute(read);
  const count = rows[0]?.count ?? 0;
  // Its own at least.
  if (count === 0)
    throw new OperatorError(
      'It cannot be seen which nodes use the database. Leave application_name out of DATABASE_URL, and give all nodes the same user.',
    );
  return count - 1;
}
