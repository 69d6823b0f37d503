// What pictures are found by lies in tables of each engine's own kind, so it travels through the index itself: the vector
// as it is, the words anew from the record.
import type { Kysely } from 'kysely';
import type { ObjectRow } from '../../objects/tables.ts';
import type { Database, Tables } from '../../platform/database/database.ts';
import { wordsOf } from '../../search/analysis/picture-words.ts';
import type { PictureIndex } from '../../search/index/picture-index.ts';
import type { Space } from '../../search/providers/ai-provider.ts';
import { inGroups } from './row-pages.ts';

const pageSize = 200;

export type FoundBy = { readonly generation: string; readonly space: Space; readonly vector: Float32Array };
export type VectorSource = Pick<PictureIndex, 'vectorOf'>;
export type PictureTarget = Pick<PictureIndex, 'keepVector' | 'keepWords' | 'vectorOf'>;

type Picture = Pick<
  ObjectRow,
  'generation' | 'account_id' | 'seq' | 'tags' | 'original_file_name' | 'caption'
> & { ai_analysis: number };

/** All pictures after one, in the order of their generations, and the vectors they have. */
export async function* vectorPages(
  read: Kysely<Tables>,
  source: VectorSource,
  after = '',
): AsyncGenerator<{ generations: string[]; vectors: FoundBy[] }> {
  for (let last = after; ;) {
    const page = await read
      .selectFrom('objects')
      .select('generation')
      .where('generation', '>', last)
      .where('kind', '=', 'image')
      .orderBy('generation')
      .limit(pageSize)
      .execute();
    const lastRow = page.at(-1);
    if (!lastRow) return;
    last = lastRow.generation;
    const generations = page.map(({ generation }) => generation);
    yield { generations, vectors: await vectorsOf(source, generations) };
  }
}

export async function vectorsOf(source: VectorSource, generations: readonly string[]): Promise<FoundBy[]> {
  const found = await Promise.all(
    generations.map(async (generation) => {
      const vector = await source.vectorOf(generation);
      return vector && { generation, ...vector };
    }),
  );
  return found.filter((vector) => vector !== null);
}

/**
 * Makes pictures of the target findable, as far as they are there: by their vector where they have one, and by their words
 * where they have one or their account wants analysis.
 */
export async function keepPictures(
  { target, index }: { target: Database; index: PictureTarget },
  generations: readonly string[],
  vectors: readonly FoundBy[],
): Promise<void> {
  const byGeneration = new Map(vectors.map((vector) => [vector.generation, vector]));
  for (const group of inGroups(generations, pageSize)) {
    const pictures = await findPictures(target, group);
    await target.write(async (tx) => {
      for (const picture of pictures) {
        const { generation, account_id: accountId, seq } = picture;
        const found = byGeneration.get(generation);
        if (!found && picture.ai_analysis !== 1) continue;
        await index.keepWords(tx, { generation, accountId, seq, text: wordsOf(picture) });
        if (found) await index.keepVector(tx, { ...found, accountId, seq });
      }
    });
  }
}

function findPictures(target: Database, generations: readonly string[]): Promise<Picture[]> {
  return target.read
    .selectFrom('objects')
    .innerJoin('accounts', 'accounts.account_id', 'objects.account_id')
    .select([
      'generation',
      'objects.account_id',
      'seq',
      'tags',
      'original_file_name',
      'caption',
      'ai_analysis',
    ])
    .where('generation', 'in', generations)
    .where('kind', '=', 'image')
    .execute();
}
