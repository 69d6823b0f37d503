// Copies all of a store into another, beside whoever uses the first: a look at all keys, again and again, until one finds
// nothing to do. What is there and cannot change is not read again; what may change is compared.
import type { ObjectRow } from '../../objects/tables.ts';
import { keptVariantsFolder, listStored } from '../../objects/list-stored.ts';
import { parseObjectKey } from '../../objects/object-keys.ts';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { forEachAtOnce, inBatches } from '../at-once.ts';
import type { BytePace } from './byte-pace.ts';
import { copyFile, isSameFile } from './copy-file.ts';
import { mayChange } from './stored-kind.ts';

const filesAtOnce = 8;
const batchSize = 256;
/** Clocks of a store and of this machine may differ. */
const clockMarginMs = 3_600_000;

export type StoreMoveParts = {
  from: Storage;
  to: Storage;
  pace: BytePace;
  readonly onFile: (bytes: number) => void;
};

export type StorePass = {
  files: number;
  copied: number;
  copiedBytes: number;
  /** Taken from the target because the source has them no longer. */
  removed: number;
  /** Originals that are not what their record says: copied as they are. */
  damaged: { object_id: string; account_id: string; key: string }[];
};

type Listed = { key: string; size: number; modifiedAt: number };

/** `unchangedSince`: what has not been written since then was compared before. */
export async function copyStore(
  parts: StoreMoveParts,
  read: Kysely<Tables>,
  unchangedSince: number,
): Promise<StorePass> {
  const pass: StorePass = { files: 0, copied: 0, copiedBytes: 0, removed: 0, damaged: [] };
  for await (const batch of inBatches(lasting(parts.from), batchSize)) {
    pass.files += batch.length;
    const needed: Listed[] = [];
    await forEachAtOnce(batch, filesAtOnce, async (file) => {
      if (await isNeeded(parts, file, unchangedSince)) needed.push(file);
      else parts.onFile(0);
    });
    const records = await recordsOf(read, needed);
    await forEachAtOnce(needed, filesAtOnce, (file) => copyOne(parts, file, records, pass));
  }
  return pass;
}

/** Variants that are only cached stay behind: they are made again when they are asked for. */
async function* lasting(storage: Storage): AsyncGenerator<Listed> {
  yield* listStored(storage);
  yield* storage.list(keptVariantsFolder);
}

async function isNeeded(
  { from, to }: StoreMoveParts,
  file: Listed,
  unchangedSince: number,
): Promise<boolean> {
  const there = await to.head(file.key);
  if (there?.size !== file.size) return true;
  if (!mayChange(file.key) || file.modifiedAt < unchangedSince - clockMarginMs) return false;
  return !(await isSameFile({ storage: from, key: file.key }, { storage: to, key: file.key }));
}

async function copyOne(
  { from, to, pace, onFile }: StoreMoveParts,
  { key }: Listed,
  records: ReadonlyMap<string, ObjectRow>,
  pass: StorePass,
): Promise<void> {
  const copied = await copyFile({ storage: from, key }, { storage: to, key }, pace);
  failpoint('move:file');
  if (!copied) return;
  pass.copied += 1;
  pass.copiedBytes += copied.sizeBytes;
  onFile(copied.sizeBytes);
  const record = records.get(key);
  if (record && record.sha256 !== copied.sha256)
    pass.damaged.push({ object_id: record.object_id, account_id: record.account_id, key });
}

async function recordsOf(read: Kysely<Tables>, files: readonly Listed[]): Promise<Map<string, ObjectRow>> {
  const keys = new Map<string, string>();
  for (const { key } of files) {
    const parsed = parseObjectKey(key);
    if (parsed?.kind === 'original') keys.set(parsed.generation, key);
  }
  if (keys.size === 0) return new Map();
  const rows = await read
    .selectFrom('objects')
    .selectAll()
    .where('generation', 'in', [...keys.keys()])
    .execute();
  return new Map(rows.map((row) => [keys.get(row.generation) as string, row]));
}

/** Only while nobody writes to either: what was deleted must not come back with the next rebuild. */
export async function removeGone({ from, to }: StoreMoveParts, pass: StorePass): Promise<void> {
  await forEachAtOnce(to.list(''), filesAtOnce, async ({ key }) => {
    if (await from.head(key)) return;
    await to.delete(key);
    pass.removed += 1;
  });
}
