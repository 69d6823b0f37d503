// What every engine promises of announcements. Which one is under test: see test/support/test-database.ts.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually.ts';
import { openTempDatabase, type TempDatabase } from '../../../test/support/temp-database.ts';
import type { Database } from './database.ts';

/** Two looks of a process at what others did. */
const twoLooksMs = 450;

describe('announcements', () => {
  let temp: TempDatabase;
  let here: Database;
  let there: Database;
  let topic: string;
  let heardHere: string[];
  let heardThere: string[];
  let topics = 0;
  before(async () => {
    temp = await openTempDatabase([]);
    here = temp.database;
    there = await temp.openAgain();
  });
  beforeEach(() => {
    topic = `topic ${++topics}`;
    heardHere = [];
    heardThere = [];
    const [byHere, byThere] = [heardHere, heardThere];
    here.listen(topic, (key) => void byHere.push(key));
    there.listen(topic, (key) => void byThere.push(key));
  });
  after(() => temp[Symbol.asyncDispose]());

  const announce = (database: Database, ...keys: string[]): Promise<void> =>
    database.write(async (tx) => {
      for (const key of keys) await database.announce(tx, topic, key);
    });

  test('reach this process at once, when write() resolves and not before', async () => {
    await here.write(async (tx) => {
      await here.announce(tx, topic, 'a');
      assert.deepEqual(heardHere, []);
    });
    assert.deepEqual(heardHere, ['a']);
  });

  test('reach another process within a second, in their order', async () => {
    const keys = Array.from({ length: 50 }, (_, index) => `${index}`);
    await announce(here, ...keys);
    await eventually(() => assert.deepEqual(heardThere, keys), 1000);
    assert.deepEqual(heardHere, keys);
    await Promise.all(keys.map((key) => announce(here, key)));
    await eventually(() => assert.deepEqual(heardThere.slice(50).sort(), keys.toSorted()), 1000);
  });

  test('are heard once, by the process that made them too', async () => {
    await announce(here, 'from here');
    await announce(there, 'from there');
    await eventually(() => assert.deepEqual(heardHere, ['from here', 'from there']), 1000);
    await eventually(() => assert.deepEqual(heardThere.toSorted(), ['from here', 'from there']), 1000);
    await announce(here, 'more');
    await pause(twoLooksMs);
    assert.deepEqual(heardHere, ['from here', 'from there', 'more']);
    assert.equal(heardThere.length, 3);
  });

  test('of a transaction that failed reach nobody', async () => {
    const failing = here.write(async (tx) => {
      await here.announce(tx, topic, 'undone');
      throw new Error('later');
    });
    const fine = announce(here, 'done');
    await assert.rejects(failing, /later/);
    await fine;
    await eventually(() => assert.deepEqual(heardThere, ['done']), 1000);
    assert.deepEqual(heardHere, ['done']);
  });

  test('of another topic are not heard', async () => {
    await here.write((tx) => here.announce(tx, 'another', 'a'));
    await announce(here, 'mine');
    await eventually(() => assert.deepEqual(heardThere, ['mine']), 1000);
    assert.deepEqual(heardHere, ['mine']);
  });

  test('of before a process began are not heard by it', async () => {
    await announce(here, 'before');
    const heard: string[] = [];
    (await temp.openAgain()).listen(topic, (key) => void heard.push(key));
    await announce(here, 'after');
    await eventually(() => assert.deepEqual(heard, ['after']), 1000);
  });

  test('a write waits until its neighbours have heard, but other writes do not wait for it', async () => {
    const told: string[] = [];
    const heard = Promise.withResolvers<void>();
    const neighbours = {
      async tell({ key }: { key: string }) {
        told.push(key);
        await heard.promise;
      },
      takeTurn: async () => () => undefined,
    };
    const database = await temp.openAgain(neighbours);
    let written = false;
    const write = announce(database, 'changed').then(() => void (written = true));
    await eventually(() => assert.deepEqual(told, ['changed']));
    await database.write(async () => undefined);
    assert.equal(written, false);
    heard.resolve();
    await write;
  });

  test('what a neighbour tells is heard at once', async () => {
    here.hear({ topic, key: 'told' });
    await Promise.resolve();
    assert.deepEqual(heardHere, ['told']);
  });
});
