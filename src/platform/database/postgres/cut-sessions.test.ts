// Sessions that the server ends in the middle of something: whoever ran in them notices nothing, unless the commit was already
// asked for, because then nobody knows whether it holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openTempDatabase } from '../../../../test/support/temp-database.ts';
import { testDatabase } from '../../../../test/support/test-database.ts';
import type { Migration, Tx } from '../database.ts';

const skip = /^postgres(ql)?:/.test(testDatabase) ? false : 'this needs a PostgreSQL server';
const migrations: Migration[] = [
  {
    name: 'things',
    up: async (tx) => void (await sql`create table things (name text primary key)`.execute(tx)),
  },
];
const endOwnSession = (tx: Tx): Promise<unknown> =>
  sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);

test('a transaction whose session was ended is run again as a whole', { skip }, async () => {
  await using temp = await openTempDatabase(migrations);
  let runs = 0;
  await temp.database.write(async (tx) => {
    runs += 1;
    await sql`insert into things values (${`run ${runs}`})`.execute(tx);
    if (runs === 1) await endOwnSession(tx);
  });
  const { rows } = await sql<{ name: string }>`select name from things`.execute(temp.database.read);
  assert.deepEqual(rows, [{ name: 'run 2' }], 'nothing of the first run may hold');
});

test('one that always loses its session fails as the database being away', { skip }, async () => {
  await using temp = await openTempDatabase(migrations);
  await assert.rejects(
    temp.database.write((tx) => endOwnSession(tx)),
    { code: 'database_unavailable' },
  );
  await temp.database.ping();
});

test('reads go on when every idle session was ended', { skip }, async () => {
  await using temp = await openTempDatabase(migrations);
  const { database } = temp;
  const others = await temp.openAgain();
  await Promise.all(Array.from({ length: 8 }, () => database.ping()));
  for (let round = 0; round < 5; round++) {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tintype' and pid <> pg_backend_pid()`.execute(
      others.read,
    );
    await Promise.all(Array.from({ length: 8 }, () => database.ping()));
  }
});
