import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import { accountTopic } from './account-changed.ts';
import type { KnownKey } from './recognise-key.ts';
import { RememberedKeys } from './remembered-keys.ts';

describe('remembered keys', () => {
  let temp: TempDatabase;
  before(async () => {
    temp = await openTempDatabase();
  });
  after(() => temp[Symbol.asyncDispose]());

  const known = (secretHash: string, bucket: string) =>
    ({ secretHash, key: {}, account: { bucket_id: bucket } }) as KnownKey;
  const change = (bucket: string, database = temp.database) =>
    database.write((tx) => database.announce(tx, accountTopic, bucket));
  const isGood = () => true;
  function reader(found: KnownKey | undefined) {
    const read = async () => {
      read.times += 1;
      return found;
    };
    read.times = 0;
    return read;
  }

  test('a key is read once, until its own account changes', async () => {
    const keys = new RememberedKeys(temp.database);
    const read = reader(known('one', 'first'));
    for (let i = 0; i < 3; i++) assert.equal((await keys.find('one', isGood, read))?.secretHash, 'one');
    assert.equal(read.times, 1);
    await change('second');
    await keys.find('one', isGood, read);
    assert.equal(read.times, 1, 'another account is no concern of it');
    await change('first');
    await keys.find('one', isGood, read);
    assert.equal(read.times, 2);
  });

  test('what is not known is asked for each time', async () => {
    const keys = new RememberedKeys(temp.database);
    const read = reader(undefined);
    for (let i = 0; i < 2; i++) assert.equal(await keys.find('nobody', isGood, read), undefined);
    assert.equal(read.times, 2);
  });

  test('one that is not good by what is remembered is read anew', async () => {
    const keys = new RememberedKeys(temp.database);
    const read = reader(known('old', 'fifth'));
    await keys.find('old', isGood, read);
    await keys.find('old', () => false, read);
    assert.equal(read.times, 2);
  });

  test('what changes while it is read is not remembered', async () => {
    const keys = new RememberedKeys(temp.database);
    const read = reader(known('two', 'third'));
    await keys.find('two', isGood, async () => {
      const found = await read();
      await change('third');
      return found;
    });
    await keys.find('two', isGood, read);
    assert.equal(read.times, 2);
  });

  test('a change in another process is heard', async () => {
    const keys = new RememberedKeys(temp.database);
    const read = reader(known('three', 'fourth'));
    await keys.find('three', isGood, read);
    await change('fourth', await temp.openAgain());
    const until = Date.now() + 5000;
    while (read.times === 1 && Date.now() < until) {
      await keys.find('three', isGood, read);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(read.times, 2);
  });
});
