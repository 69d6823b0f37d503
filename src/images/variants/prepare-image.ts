// What is made of every new picture, or poster of a film, right away, in the background: the smaller copy, what it looks like in a few bytes,
// and the two variants that listings name, so that a library opens at once.
import type { Database } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { enqueue, type Job, type JobHandler } from '../../platform/jobs/jobs.ts';
import { manifestJob } from '../../objects/manifests.ts';
import { thumbnailName } from '../../objects/object-json.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import { parseTransformation, withFormat } from '../address/transformation.ts';
import type { VariantTransformation } from '../address/transformation.ts';
import type { Description } from '../rendering/worker-protocol.ts';
import type { VariantMaker } from './make-variant.ts';
import type { OriginalImage } from './original-image.ts';

const kind = 'prepare-image';
/** Nothing can be told of a picture that no decoder takes. */
const unknown: Description = { thumbhash: '', dominantColor: '' };

/** Unless there is nothing to prepare any more. */
export async function queuePreparation(
  database: Database,
  { generation, thumbhash }: ObjectRow,
): Promise<void> {
  if (thumbhash !== null) return;
  const job: Job = { kind, key: generation, payload: { generation } };
  await database.write((tx) => enqueue(tx, [job]));
}

export type PrepareParts = {
  database: Database;
  maker: VariantMaker;
  originalOf: (object: ObjectRow) => OriginalImage;
};

export function prepareHandlers(parts: PrepareParts): Record<string, JobHandler> {
  return { [kind]: { run: ({ generation }: { generation: string }) => prepare(parts, generation) } };
}

async function prepare(parts: PrepareParts, generation: string): Promise<void> {
  const object = await findGeneration(parts.database, generation);
  if (!object) return;
  const original = parts.originalOf(object);
  await settled(parts.maker.makeMezzanine(original));
  if (object.thumbhash === null) await describe(parts, object, { background: true });
  for (const [name, kept] of [
    [thumbnailName, true],
    ['original.webp', false],
  ] as const)
    await settled(parts.maker.make(original, variant(name), { kept, background: true }));
  // Deleted meanwhile: what was made after the purge must not stay.
  if (!(await findGeneration(parts.database, generation))) await parts.maker.remove(original);
}

/** What it looks like; found out and noted when it was not. */
export async function describeObject(parts: PrepareParts, generation: string): Promise<Description | null> {
  const object = await findGeneration(parts.database, generation);
  if (!object) return null;
  if (object.thumbhash !== null)
    return { thumbhash: object.thumbhash, dominantColor: object.dominant_color ?? '' };
  return describe(parts, object);
}

async function describe(
  { database, maker, originalOf }: PrepareParts,
  object: ObjectRow,
  options: { background?: boolean } = {},
): Promise<Description> {
  const description = (await settled(maker.describe(originalOf(object), options))) ?? unknown;
  const { thumbhash, dominantColor } = description;
  await database.write(async (tx) => {
    await Promise.all([
      tx
        .updateTable('objects')
        .set({ thumbhash, dominant_color: dominantColor })
        .where('generation', '=', object.generation)
        .execute(),
      enqueue(tx, [manifestJob(object)]),
    ]);
  });
  return description;
}

function findGeneration(database: Database, generation: string): Promise<ObjectRow | undefined> {
  return database.read
    .selectFrom('objects')
    .selectAll()
    .where('generation', '=', generation)
    .executeTakeFirst();
}

function variant(name: string): VariantTransformation {
  const transformation = parseTransformation(name);
  if (transformation.kind !== 'variant') throw new Error(`${name} is no variant`);
  return withFormat(transformation, 'webp');
}

/** A picture that cannot be rendered stays as it is; only what is our fault is tried again. */
async function settled<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  }
}
