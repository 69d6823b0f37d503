// After a clean stop the one database file holds everything, so that a copy of it is a backup.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqliteDatabase } from '../../src/platform/database/sqlite/sqlite-database.ts';
import { enqueue, jobMigrations } from '../../src/platform/jobs/jobs.ts';

test('a closed database is one file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-close-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'tintype.db');
  const database = openSqliteDatabase(file);
  await database.migrate(jobMigrations);
  await database.write((tx) => enqueue(tx, [{ kind: 'work', key: 'kept', payload: {} }]));
  await database.close();
  assert.ok(!existsSync(`${file}-wal`));

  await copyFile(file, join(folder, 'backup.db'));
  const backup = openSqliteDatabase(join(folder, 'backup.db'));
  const jobs = await backup.read.selectFrom('jobs').select('key').execute();
  await backup.close();
  assert.deepEqual(jobs, [{ key: 'kept' }]);
});
