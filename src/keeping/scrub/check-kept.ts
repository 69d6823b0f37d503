// Checks that the variants made with /create are there: they were promised to be.
import { join } from 'node:path';
import { variantKey, variantsFolder } from '../../images/variants/variant-path.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import { isThere } from '../../platform/is-there.ts';
import { findRecord, type ScrubParts } from './scrub-parts.ts';

const pageSize = 500;

type Kept = { generation: string; name: string; file: string };

export async function checkKept(parts: ScrubParts): Promise<void> {
  for (let after = ''; ;) {
    const page = await parts.database.read
      .selectFrom('kept_variants')
      .select(['generation', 'name', 'file'])
      .where('generation', '>', after)
      .orderBy('generation')
      .limit(pageSize)
      .execute();
    // All of the last one's may not have fitted; it is the first of the next page then.
    const last = page.at(-1)?.generation;
    const isLastPage = page.length < pageSize;
    const whole = isLastPage ? page : page.filter(({ generation }) => generation !== last);
    for (const kept of whole) await checkOne(parts, kept);
    if (isLastPage || whole.length === 0) return;
    after = whole.at(-1)?.generation as string;
  }
}

async function checkOne(parts: ScrubParts, { generation, name, file }: Kept): Promise<void> {
  // Rows of earlier versions do not tell the file.
  if (file === '') return;
  const object = await findRecord(parts, generation);
  if (!object || (await isKept(parts, object, file))) return;
  const isMade = parts.repair && (await parts.remakeVariant(object, name));
  const { account_id, object_id, bucket_id: bucketId, backend } = object;
  parts.report({
    kind: 'variant',
    problem: 'missing',
    where: parts.sharedStores.has(backend)
      ? `${backend}:${variantKey({ bucketId, generation }, file, true)}`
      : join(variantsFolder(parts.variantFolders.kept, bucketId, generation), file),
    detail: `${name} was made to be kept, and is gone`,
    account_id,
    object_id,
    repair: isMade ? 'made anew' : null,
  });
}

/** On a disk alone it may still be among what was only cached; what nodes share lies where nothing drops it. */
async function isKept(parts: ScrubParts, object: ObjectRow, file: string): Promise<boolean> {
  const { bucket_id: bucketId, generation, backend } = object;
  if (parts.sharedStores.has(backend))
    return (await parts.stores[backend].head(variantKey({ bucketId, generation }, file, true))) !== null;
  for (const root of Object.values(parts.variantFolders))
    if (await isThere(join(variantsFolder(root, bucketId, generation), file))) return true;
  return false;
}
