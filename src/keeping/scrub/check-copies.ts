// Checks the copies that this machine keeps of files in stores elsewhere: requests are answered from them. A damaged one is
// removed by a repair, and fetched again when somebody asks for it; a sound one may be all that is left of its file.
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseObjectKey } from '../../objects/object-keys.ts';
import type { Stores } from '../../objects/stores.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import { listFiles } from '../../platform/storage/list-files.ts';
import { absentOr } from '../../platform/storage/storage-error.ts';
import { forEachAtOnce } from '../at-once.ts';
import { type FileHash, hashOf, hashStored } from '../files/hash-file.ts';
import { findRecord, type ScrubParts } from './scrub-parts.ts';

const filesAtOnce = 4;
const backends = ['files', 'storage'] as const satisfies (keyof Stores)[];

export async function checkCopies(parts: ScrubParts): Promise<void> {
  for (const backend of parts.only ? [parts.only] : backends)
    await forEachAtOnce(listFiles(join(parts.copiesFolder, backend), ''), filesAtOnce, ({ key }) =>
      checkCopy(parts, backend, key),
    );
}

/** Puts an original back into its store from the copy here, if there is one and it is sound. */
export async function putBackFromCopy(
  { stores, copiesFolder, pace }: ScrubParts,
  { backend, sha256 }: ObjectRow,
  key: string,
): Promise<string | null> {
  const path = join(copiesFolder, backend, key);
  if ((await hashCopy(path, pace))?.sha256 !== sha256) return null;
  await stores[backend].put(key, createReadStream(path));
  return 'put back from the copy on this machine';
}

async function checkCopy(parts: ScrubParts, backend: keyof Stores, key: string): Promise<void> {
  const path = join(parts.copiesFolder, backend, key);
  const copy = await hashCopy(path, parts.pace);
  parts.onFile();
  const parsed = parseObjectKey(key);
  const object = parsed && 'generation' in parsed ? await findRecord(parts, parsed.generation) : undefined;
  if (!copy || !object) return;
  const expected =
    parsed?.kind === 'original' ? object.sha256 : (await hashStored(parts.stores[backend], key))?.sha256;
  if (expected === undefined || expected === copy.sha256) return;
  if (parts.repair) await rm(path, { force: true });
  parts.report({
    kind: 'copy',
    problem: 'damaged',
    where: path,
    detail: 'has other bytes than its file',
    account_id: object.account_id,
    object_id: object.object_id,
    repair: parts.repair ? 'removed; it is fetched again when it is needed' : null,
  });
}

/** Null for one that was evicted meanwhile, or never was. */
function hashCopy(path: string, pace: ScrubParts['pace']): Promise<FileHash | null> {
  return hashOf(createReadStream(path), pace).catch(absentOr(null));
}
