import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newGeneration } from '../../objects/object-keys.ts';
import { insertObject, newTestAccount } from '../../../test/support/object-rows.ts';
import { openTempDatabase } from '../../../test/support/temp-database.ts';
import { sweepOrphanedVariants } from './sweep-orphans.ts';
import { VariantStore } from './variant-store.ts';

test('what belongs to no object any more goes from both folders, unless it is new', async () => {
  await using temp = await openTempDatabase();
  const { database, folder } = temp;
  const account = await newTestAccount(database);
  const store = new VariantStore({ keptDir: join(folder, 'kept'), cacheDir: join(folder, 'cache') });
  const old = (): string => newGeneration(Date.now() - 7_200_000);
  const [stored, gone, fresh] = [old(), old(), newGeneration()];
  await insertObject(database, account, { generation: stored });
  const paths: Record<string, string[]> = {};
  for (const generation of [stored, gone, fresh]) {
    const original = { bucketId: account.bucket_id, generation };
    paths[generation] = [true, false].map((kept) => store.pathOf(original, 'a.webp', kept));
    for (const path of paths[generation]) {
      await store.makeFolder(path);
      await writeFile(path, '');
    }
  }
  await sweepOrphanedVariants(database, store);
  const left = (generation: string): boolean[] => (paths[generation] ?? []).map((path) => existsSync(path));
  assert.deepEqual(
    [left(stored), left(gone), left(fresh)],
    [
      [true, true],
      [false, false],
      [true, true],
    ],
  );
});
