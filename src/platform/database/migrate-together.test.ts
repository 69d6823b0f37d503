import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';

test('processes that start at once on a new database all come up, and migrate it once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-migrate-'));
  const file = join(folder, 'tintype.db');
  const children = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['test/support/database-child.ts', 'migrate', file]),
  );
  await Promise.all(
    children.map(async (child) => {
      const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      assert.deepEqual([code, complaint], [0, '']);
    }),
  );
  const sqlite = new Sqlite(file, { readonly: true });
  assert.equal(sqlite.prepare('select count(*) from runs').pluck().get(), 1);
  assert.deepEqual(sqlite.prepare('select name from migrations').pluck().all(), ['once']);
  sqlite.close();
  await rm(folder, { recursive: true });
});
