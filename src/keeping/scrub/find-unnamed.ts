// Keys in the stores that no record names. They are only told of: the janitor takes what it may, and the rest may be all
// that is left of another database.
import { listStored } from '../../objects/list-stored.ts';
import { type ObjectKey, parseObjectKey } from '../../objects/object-keys.ts';
import type { Stores } from '../../objects/stores.ts';
import { parsePartKey } from '../../objects/uploads/upload-keys.ts';
import { inBatches } from '../at-once.ts';
import type { ScrubParts } from './scrub-parts.ts';

const batchSize = 500;
/** Younger ones may belong to an upload that is not committed yet. */
const leastAgeMs = 3_600_000;

type Listed = { key: string; modifiedAt: number };
type Parsed = Listed & { parsed: ObjectKey | null };

export async function findUnnamed(parts: ScrubParts, leastAge = leastAgeMs): Promise<void> {
  for (const backend of Object.keys(parts.stores) as (keyof Stores)[]) {
    if (parts.only !== null && parts.only !== backend) continue;
    for await (const batch of inBatches(listStored(parts.stores[backend]), batchSize))
      for (const key of await unnamedOf(parts, batch, Date.now() - leastAge))
        parts.report({
          kind: 'unnamed',
          problem: 'unnamed',
          where: `${backend}:${key}`,
          detail: 'no record names it',
          repair: null,
        });
  }
}

async function unnamedOf(
  { database }: ScrubParts,
  batch: readonly Listed[],
  before: number,
): Promise<string[]> {
  const old: Parsed[] = batch
    .filter(({ key, modifiedAt }) => modifiedAt < before && !parsePartKey(key))
    .map((file) => ({ ...file, parsed: parseObjectKey(file.key) }));
  const generations = old.flatMap(({ parsed }) =>
    parsed && 'generation' in parsed ? [parsed.generation] : [],
  );
  const buckets = old.flatMap(({ parsed }) => (parsed?.kind === 'bucket-manifest' ? [parsed.bucketId] : []));
  const objects = await database.read
    .selectFrom('objects')
    .select('generation')
    .where('generation', 'in', [...new Set(['', ...generations])])
    .execute();
  const accounts = await database.read
    .selectFrom('accounts')
    .select('bucket_id')
    .where('bucket_id', 'in', ['', ...buckets])
    .execute();
  const named = new Set([
    ...objects.map(({ generation }) => generation),
    ...accounts.map((account) => account.bucket_id),
  ]);
  const isNamed = ({ parsed }: Parsed): boolean =>
    parsed !== null && named.has('generation' in parsed ? parsed.generation : parsed.bucketId);
  return old.filter((file) => !isNamed(file)).map(({ key }) => key);
}
