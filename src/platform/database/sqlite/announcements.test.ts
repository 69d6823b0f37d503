import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { openTempDatabase, type TempDatabase } from '../../../../test/support/temp-database.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

describe('announcements through SQLite', () => {
  let temp: TempDatabase;
  before(async () => {
    temp = await openTempDatabase([]);
  });
  after(() => temp[Symbol.asyncDispose]());

  test('reach all listeners, and a listener that throws stops neither them nor the writer', async () => {
    const child = spawn(process.execPath, ['test/support/database-child.ts', 'throw', temp.file]);
    assert.deepEqual((await text(child.stdout)).trim().split('\n'), [
      'uncaught: a listener',
      'heard first',
      'resolved',
      'and again',
    ]);
  });

  test('no write begins before its turn, and each turn ends, also when its writes fail', async () => {
    const turns: string[] = [];
    const neighbours = {
      tell: async () => undefined,
      async takeTurn() {
        turns.push('begins');
        return () => void turns.push('ends');
      },
    };
    const database = openSqliteDatabase(temp.file, neighbours);
    await database.write(async () => void turns.push('writes'));
    const failing = database.write(() => Promise.reject(new Error('no')));
    await assert.rejects(failing, { message: 'no' });
    await eventually(() => assert.deepEqual(turns, ['begins', 'writes', 'ends', 'begins', 'ends']));
    await database.close();
  });
});
