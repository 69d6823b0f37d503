// Two nodes on one database: one works, the other waits for the result, or takes over.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { imageMigrations } from '../../images/tables.ts';
import { openTempDatabase, type TempDatabase } from '../../../test/support/temp-database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { DatabaseFlights } from './database-flights.ts';

let temp: TempDatabase;
let here: DatabaseFlights;
let there: DatabaseFlights;
const maxWaitMs = 10_000;
/** A machine that stands still is not a database that is away. */
const maxDatabaseMs = 10_000;
before(async () => {
  temp = await openTempDatabase(imageMigrations);
  here = new DatabaseFlights({ database: temp.database, maxWaitMs, maxDatabaseMs });
  there = new DatabaseFlights({ database: await temp.openAgain(), maxWaitMs, maxDatabaseMs });
});
after(() => temp[Symbol.asyncDispose]());

/** A result both can see, made by whoever `make`s. */
function shared(making?: Promise<void>) {
  const state = { made: 0, there: false };
  return {
    state,
    work: {
      look: async () => state.there,
      async make() {
        state.made += 1;
        await making;
        state.there = true;
      },
    },
  };
}

const held = (name: string) =>
  temp.database.read.selectFrom('flights').selectAll().where('name', '=', name).executeTakeFirst();

test('twenty who ask on two nodes are one piece of work, and nothing stays', async () => {
  const { promise: making, resolve } = Promise.withResolvers<void>();
  const { state, work } = shared(making);
  const asked = Array.from({ length: 20 }, (_, index) => (index % 2 ? here : there).run('once', work));
  await eventually(() => assert.equal(state.made, 1));
  resolve();
  await Promise.all(asked);
  assert.equal(state.made, 1);
  await eventually(async () => assert.equal(await held('once'), undefined));
});

test('what failed on one node is tried on the one that waited', async () => {
  const { promise: making, reject } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { state, work } = shared();
  const make = (): Promise<void> => (begin(), making);
  const first = here.run('fails', { ...work, make });
  await begun;
  const second = there.run('fails', work);
  reject(new Error('broken'));
  await assert.rejects(first, /broken/);
  await second;
  assert.deepEqual(state, { made: 1, there: true });
});

test('who holds it renews it; when that stops, another takes over', async () => {
  const leaseMs = 1500;
  const database = await temp.openAgain();
  const dying = new DatabaseFlights({ database, leaseMs, maxWaitMs });
  const { state, work } = shared();
  const never = dying.run('dies', { look: work.look, make: () => new Promise(() => undefined) });
  await eventually(async () => assert.ok(await held('dies')));
  const first = (await held('dies'))?.until ?? 0;
  await eventually(async () => assert.ok(((await held('dies'))?.until ?? 0) > first, 'renewed'));
  let ended = false;
  const second = there.run('dies', work).then(() => (ended = true));
  await eventually(async () => assert.ok(((await held('dies'))?.until ?? 0) > first + leaseMs));
  assert.equal(ended, false, 'waits as long as it is renewed');
  await database.close();
  await second;
  assert.equal(state.made, 1);
  void never;
});

test('who waited as long as the work may take works too', async () => {
  const { state, work } = shared();
  void here.run('slow', { look: work.look, make: () => new Promise(() => undefined) });
  await eventually(async () => assert.ok(await held('slow')));
  const hasty = new DatabaseFlights({ database: await temp.openAgain(), maxWaitMs: 50 });
  await hasty.run('slow', work);
  assert.equal(state.made, 1);
});

test('without a database everybody works', async () => {
  const { database, [Symbol.asyncDispose]: dispose } = await openTempDatabase(imageMigrations);
  const lonely = new DatabaseFlights({ database, maxWaitMs });
  await dispose();
  const { state, work } = shared();
  await lonely.run('alone', work);
  assert.equal(state.made, 1);
});

test('rows of the dead are swept after an hour', async () => {
  const now = Date.now();
  const rows = [
    { name: 'old', owner: 'x', until: now - 3_700_000 },
    { name: 'new', owner: 'x', until: now - 1000 },
  ];
  await temp.database.write((tx) => tx.insertInto('flights').values(rows).execute());
  await here.sweep();
  assert.equal(await held('old'), undefined);
  assert.ok(await held('new'));
});
