// Checks the variants that lie on this machine, and those that nodes share through the stores. Each carries its own hash, so
// none needs its original; one that is damaged is removed by a repair, and made again when somebody asks for it.
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { variantFolders } from '../../objects/list-stored.ts';
import { listFiles } from '../../platform/storage/list-files.ts';
import { forEachAtOnce } from '../at-once.ts';
import { checkKept } from './check-kept.ts';
import { findRecord, type ScrubParts } from './scrub-parts.ts';
import { faultOfVariant } from './variant-fault.ts';

const filesAtOnce = 4;

type Place = {
  readonly where: string;
  /** Whose folder it lies in says which object it is of. */
  readonly key: string;
  readonly size: number;
  /** Null for one that was evicted meanwhile, which is fine. */
  readonly read: () => Promise<Buffer | null>;
  readonly remove: () => Promise<void>;
};

export async function checkVariants(parts: ScrubParts): Promise<void> {
  for (const places of [placesHere(parts), placesInStores(parts)])
    await forEachAtOnce(places, filesAtOnce, (place) => checkPlace(parts, place));
  await checkKept(parts);
}

async function* placesHere({ variantFolders: folders }: ScrubParts): AsyncGenerator<Place> {
  for (const root of Object.values(folders))
    for await (const { key, size } of listFiles(root, '')) {
      const path = join(root, key);
      yield {
        where: path,
        key,
        size,
        read: () => readFile(path).catch(() => null),
        remove: () => rm(path, { force: true }),
      };
    }
}

async function* placesInStores({ stores, sharedStores }: ScrubParts): AsyncGenerator<Place> {
  for (const backend of sharedStores)
    for (const folder of variantFolders)
      for await (const { key, size } of stores[backend].list(folder))
        yield {
          where: `${backend}:${key}`,
          key,
          size,
          read: async () => {
            const stream = await stores[backend].get(key);
            return stream && buffer(stream);
          },
          remove: () => stores[backend].delete(key),
        };
}

async function checkPlace(parts: ScrubParts, { where, key, size, read, remove }: Place): Promise<void> {
  await parts.pace(size);
  const bytes = await read();
  parts.onFile();
  const detail = bytes && faultOfVariant(basename(key), bytes);
  if (detail === null) return;
  if (parts.repair) await remove();
  const object = await findRecord(parts, key.split('/').at(-2) ?? '');
  parts.report({
    kind: 'variant',
    problem: 'damaged',
    where,
    detail,
    ...(object ? { account_id: object.account_id, object_id: object.object_id } : {}),
    repair: parts.repair ? 'removed; it is made again when it is asked for' : null,
  });
}
