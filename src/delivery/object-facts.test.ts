import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Kysely } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { insertObject, newTestAccount } from '../../test/support/object-rows.ts';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import { accountTopic } from '../accounts/account-changed.ts';
import { patchAccount } from '../accounts/accounts.ts';
import type { Account } from '../accounts/tables.ts';
import { objectTopic, objectTopicKey } from '../objects/change-object.ts';
import type { ObjectRow } from '../objects/tables.ts';
import type { Database, Tables } from '../platform/database/database.ts';
import { openSqliteConnection } from '../platform/database/sqlite/connection.ts';
import { sqliteDialect } from '../platform/database/sqlite/dialect.ts';
import { AppError } from '../platform/errors.ts';
import { FactsCache, type ObjectFacts } from './object-facts.ts';

const topics = { object: objectTopic, account: accountTopic };

describe('facts of objects', () => {
  let temp: TempDatabase;
  let account: Account;
  before(async () => {
    temp = await openTempDatabase();
    account = await newTestAccount(temp.database);
  });
  after(() => temp[Symbol.asyncDispose]());

  const find = (cache: FactsCache, object: ObjectRow): Promise<ObjectFacts | null> =>
    cache.find(object.bucket_id, object.object_id);

  function remove(database: Database, object: ObjectRow): Promise<void> {
    return database.write(async (tx) => {
      await tx.deleteFrom('objects').where('generation', '=', object.generation).execute();
      await database.announce(tx, objectTopic, objectTopicKey(object));
    });
  }

  test('come from the database once and from memory after that', async () => {
    const object = await insertObject(temp.database, account, { object_id: 'kept' });
    const cache = new FactsCache(temp.database, topics);
    const facts = await find(cache, object);
    assert.deepEqual([facts?.generation, facts?.stale], [object.generation, false]);
    assert.equal(await find(cache, object), facts);
    assert.equal(await cache.find(object.bucket_id, 'other'), null);
    assert.equal(await cache.find('0'.repeat(16), 'kept'), null);
  });

  test('are stale, for all who hold them, when their object is announced as changed', async () => {
    const object = await insertObject(temp.database, account);
    const neighbour = await insertObject(temp.database, account);
    const cache = new FactsCache(temp.database, topics);
    const facts = await find(cache, object);
    const others = await find(cache, neighbour);
    assert.ok(facts && others && cache.isCurrent(facts));
    await remove(temp.database, object);
    assert.ok(facts.stale && !cache.isCurrent(facts));
    assert.equal(await find(cache, object), null);
    assert.ok(!others.stale && cache.isCurrent(others));
  });

  test('are new when an id is used again', async () => {
    const first = await insertObject(temp.database, account, { object_id: 'again' });
    const cache = new FactsCache(temp.database, topics);
    const old = await find(cache, first);
    await remove(temp.database, first);
    const second = await insertObject(temp.database, account, { object_id: 'again' });
    assert.equal((await find(cache, second))?.generation, second.generation);
    assert.equal(old?.stale, true);
  });

  test('are stale within a second when another process changed the object', async () => {
    const object = await insertObject(temp.database, account);
    const cache = new FactsCache(temp.database, topics);
    const facts = await find(cache, object);
    await remove(await temp.openAgain(), object);
    await eventually(() => assert.equal(facts?.stale, true), 1000);
    assert.equal(await find(cache, object), null);
  });

  test('of a disabled account are gone, and back when it is enabled', async () => {
    const other = await newTestAccount(temp.database);
    const objects = [await insertObject(temp.database, other), await insertObject(temp.database, other)];
    const cache = new FactsCache(temp.database, topics);
    const facts = await Promise.all(objects.map((object) => find(cache, object)));
    await patchAccount(temp.database, other.account_id, { enabled: false });
    for (const [index, object] of objects.entries()) {
      assert.equal(facts[index]?.stale, true);
      assert.equal(await find(cache, object), null);
    }
    await patchAccount(temp.database, other.account_id, { enabled: true });
    assert.equal((await find(cache, objects[0] as ObjectRow))?.stale, false);
  });

  test('that change while they are read are read again', async () => {
    const object = await insertObject(temp.database, account);
    const connection = openSqliteConnection(temp.file, { readonly: true });
    const answered = Promise.withResolvers<void>();
    const removed = Promise.withResolvers<void>();
    /** Has read the row, and hands it over only after it was removed. */
    const slowly = sqliteDialect(async (sql, parameters) => {
      const result = connection.run(sql, parameters);
      answered.resolve();
      await removed.promise;
      return result;
    });
    const cache = new FactsCache({ ...temp.database, read: new Kysely<Tables>({ dialect: slowly }) }, topics);
    const finding = find(cache, object);
    await answered.promise;
    await remove(temp.database, object);
    removed.resolve();
    assert.equal(await finding, null);
    connection.close();
  });

  test('are shared by two that ask at once', async () => {
    const object = await insertObject(temp.database, account);
    const cache = new FactsCache(temp.database, topics);
    const [first, second] = await Promise.all([find(cache, object), find(cache, object)]);
    assert.ok(first && first === second);
  });

  test('pushed out of memory by others are not current, since no change would reach them', async () => {
    const object = await insertObject(temp.database, account);
    const cache = new FactsCache(temp.database, topics, { maxKept: 2 });
    const facts = await find(cache, object);
    assert.ok(facts && cache.isCurrent(facts));
    for (let more = 0; more < 2; more++) await find(cache, await insertObject(temp.database, account));
    assert.ok(!cache.isCurrent(facts));
    assert.ok(cache.isCurrent((await find(cache, object)) as ObjectFacts));
  });

  test('count for nothing while word of changes may not come, except where nobody can tell better', async () => {
    const object = await insertObject(temp.database, account, { object_id: 'unheard' });
    let hears = true;
    let isAway = false;
    const away = new AppError('database_unavailable');
    const read = sqliteDialect(async (sql, parameters) => {
      if (isAway) throw away;
      return connection.run(sql, parameters);
    });
    const connection = openSqliteConnection(temp.file, { readonly: true });
    const database = {
      ...temp.database,
      read: new Kysely<Tables>({ dialect: read }),
      hearsInTime: () => hears,
    };
    const cache = new FactsCache(database, topics);
    const facts = await find(cache, object);
    assert.ok(facts && cache.isCurrent(facts));
    hears = false;
    assert.ok(!cache.isCurrent(facts) && facts.stale);
    isAway = true;
    const doubted = await find(cache, object);
    assert.deepEqual([doubted?.generation, doubted?.inDoubt], [object.generation, true]);
    isAway = false;
    const now = await find(cache, object);
    assert.ok(now && now.generation === object.generation && !now.inDoubt && !cache.isCurrent(now));
    // Nobody announces it.
    await temp.database.write((tx) =>
      tx.deleteFrom('objects').where('generation', '=', object.generation).execute(),
    );
    assert.equal(await find(cache, object), null);
    hears = true;
    assert.equal(await find(cache, object), null);
    connection.close();
  });
});
