// Fills an empty database from the manifests that lie beside the originals in both stores. Touches nothing in them.
import type { Database } from '../../platform/database/database.ts';
import { listStored } from '../list-stored.ts';
import { originalKey, parseObjectKey } from '../object-keys.ts';
import { AccountRestorer } from './accounts.ts';
import { settleAccount } from './facets.ts';
import { type FoundManifest, ObjectRestorer } from './objects.ts';
import type { Problem, RebuildReport } from './report.ts';
import { createRowReaders } from './rows.ts';
import type { Stores } from '../stores.ts';

const batchSize = 256;

export type RebuildParts = {
  database: Database;
  stores: Stores;
  openSecret(sealed: string): string;
  onProgress(manifests: number): void;
};

export async function rebuildFromManifests(parts: RebuildParts): Promise<RebuildReport> {
  const problems: Problem[] = [];
  const rows = await createRowReaders(parts.database);
  const common = { ...parts, rows, report: (problem: Problem) => void problems.push(problem) };
  const accountRestorer = new AccountRestorer(common);
  const objectRestorer = new ObjectRestorer(common);
  for (const backend of Object.keys(parts.stores) as (keyof Stores)[]) {
    let batch: FoundManifest[] = [];
    for await (const found of findManifests(parts.stores, backend, accountRestorer, common.report)) {
      batch.push(found);
      if (batch.length < batchSize) continue;
      await objectRestorer.restore(batch);
      parts.onProgress(batch.length);
      batch = [];
    }
    await objectRestorer.restore(batch);
    parts.onProgress(batch.length);
  }
  await objectRestorer.finish();
  const { accounts, keys } = await accountRestorer.finish();
  let objects = 0;
  for (const account of accounts) objects += (await settleAccount(parts.database, account)).objects;
  for (const where of rows.unknownFields)
    problems.push({
      kind: 'unknown_field',
      where,
      detail: 'was written by a newer version, and is left out',
    });
  return { accounts: accounts.length, keys, objects, problems };
}

/** Keys come in order, an original right before its manifest: what still waits at the end has none. */
async function* findManifests(
  stores: Stores,
  backend: keyof Stores,
  accounts: AccountRestorer,
  report: (problem: Problem) => void,
): AsyncGenerator<FoundManifest> {
  const originals = new Map<string, number>();
  for await (const { key, size } of listStored(stores[backend])) {
    const parsed = parseObjectKey(key);
    if (!parsed) continue;
    const account = await accounts.of(parsed.bucketId);
    if (parsed.kind === 'original') originals.set(key, size);
    if (parsed.kind !== 'manifest') continue;
    const { bucketId, generation } = parsed;
    const beside = originalKey(bucketId, generation);
    yield { backend, bucketId, generation, account, originalBytes: originals.get(beside) ?? null };
    originals.delete(beside);
  }
  for (const key of originals.keys()) {
    const detail = 'cannot be restored: nothing tells its id. The file stays where it is';
    report({ kind: 'original_without_manifest', where: `${backend}:${key}`, detail });
  }
}
