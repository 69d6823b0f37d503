// The janitor: takes what uploads that died left behind. A key that no row names is garbage once it is older than any
// upload could still be waiting to commit. An original with a manifest beside it was an object once, and one older than
// the database belongs to a database that was lost: both stay, whatever the database says, for `rebuild` to find.
import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { forgetOldAnswers } from './idempotency.ts';
import { filmFolderKey, generationTime, manifestKey, originalKey, parseObjectKey } from './object-keys.ts';
import { listStored } from './list-stored.ts';
import type { Stores } from './stores.ts';
import { removeUnknownUpload, sweepUploads } from './uploads/sweep-uploads.ts';
import { parsePartKey } from './uploads/upload-keys.ts';

const batchSize = 500;

export type SweepOptions = { stagedMs: number; orphanMs: number };
export const defaultSweep: SweepOptions = { stagedMs: 600_000, orphanMs: 3_600_000 };

/** Cheap, and worth doing at every start. */
export async function sweepStaging(
  database: Database,
  stores: Stores,
  options = defaultSweep,
): Promise<void> {
  for (const storage of Object.values(stores)) await storage.sweep({ olderThanMs: options.stagedMs });
  await database.write((tx) => forgetOldAnswers(tx));
  await sweepUploads(database, stores);
}

/** Walks all of storage; returns how many keys it removed. */
export async function sweepOrphans(
  database: Database,
  stores: Stores,
  signal: AbortSignal,
  options = defaultSweep,
): Promise<number> {
  let removed = 0;
  const databaseMadeAt = await madeAt(database);
  for (const storage of Object.values(stores)) {
    let batch: Candidate[] = [];
    let last = '';
    for await (const { key, modifiedAt } of listStored(storage)) {
      signal.throwIfAborted();
      const part = parsePartKey(key);
      if (part && part.uploadId !== last && Date.now() - modifiedAt >= options.orphanMs) {
        last = part.uploadId;
        if (await removeUnknownUpload(database, storage, part)) removed += 1;
      }
      const parsed = parseObjectKey(key);
      if (parsed?.kind !== 'original' && parsed?.kind !== 'film') continue;
      if (Date.now() - modifiedAt < options.orphanMs) continue;
      if (generationTime(parsed.generation) < databaseMadeAt) continue;
      // Of a film with many files, the first speaks for all.
      if (parsed.kind === 'film' && parsed.generation === last) continue;
      last = parsed.generation;
      batch.push(parsed);
      if (batch.length < batchSize) continue;
      removed += await removeUnnamed(database, storage, batch);
      batch = [];
    }
    removed += await removeUnnamed(database, storage, batch);
  }
  return removed;
}

async function madeAt(database: Database): Promise<number> {
  const { rows } = await sql<{ at: number }>`select min(applied_at) as at from migrations`.execute(
    database.read,
  );
  return rows[0]?.at ?? Date.now();
}

type Candidate = { bucketId: string; generation: string };

async function removeUnnamed(database: Database, storage: Storage, batch: Candidate[]): Promise<number> {
  if (batch.length === 0) return 0;
  const generations = batch.map(({ generation }) => generation);
  const rows = await database.read
    .selectFrom('objects')
    .select('generation')
    .where('generation', 'in', generations)
    .execute();
  const named = new Set(rows.map((row) => row.generation));
  let removed = 0;
  for (const { bucketId, generation } of batch) {
    if (named.has(generation) || (await storage.head(manifestKey(bucketId, generation)))) continue;
    await storage.delete(originalKey(bucketId, generation));
    await storage.deleteFolder(filmFolderKey(bucketId, generation));
    removed += 1;
  }
  return removed;
}
