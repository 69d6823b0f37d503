// What a scrub has made anew: posters of films and variants that were promised to be kept. The processes that decode are
// started only when something is to be repaired.
import { readFile, rm } from 'node:fs/promises';
import type { Config } from '../config.ts';
import type { Core } from '../core.ts';
import type { ImageService } from '../images/image-service.ts';
import { parseTransformation } from '../images/address/transformation.ts';
import { originalImageOf } from '../images/variants/original-image.ts';
import { variantFileName } from '../images/variants/variant-path.ts';
import type { ScrubParts } from '../keeping/scrub/scrub-parts.ts';
import { manifestJob } from '../objects/manifests.ts';
import { filmKey, originalKey, posterName } from '../objects/object-keys.ts';
import type { ObjectRow } from '../objects/tables.ts';
import { openFilmService } from '../open-film-service.ts';
import { openImageService } from '../open-image-service.ts';
import { AppError } from '../platform/errors.ts';
import { lockingRows } from '../platform/database/locking-rows.ts';
import { enqueue } from '../platform/jobs/jobs.ts';
import { createLog } from '../platform/log.ts';
import { readFilmRecord } from '../videos/film-record.ts';
import type { FilmService } from '../videos/film-service.ts';

export type Repairs = Pick<ScrubParts, 'remakePoster' | 'remakeVariant'> & { close(): Promise<void> };

export function createRepairs(config: Config, core: Core): Repairs {
  let films: FilmService | null = null;
  let images: ImageService | null = null;
  const openFilms = (): FilmService => (films ??= openFilmService(config, createLog('fatal')));
  const openImages = (): ImageService =>
    (images ??= openImageService(config, core, { films: openFilms(), log: createLog('fatal'), workers: 1 }));
  return {
    remakePoster: (film) => remakePoster(core, openFilms(), film),
    remakeVariant: (object, name) => remakeVariant(core, openImages(), object, name),
    async close() {
      await images?.close();
      await films?.close();
    },
  };
}

async function remakePoster({ database, stores }: Core, films: FilmService, film: ObjectRow): Promise<void> {
  const { bucket_id: bucketId, generation, backend, type } = film;
  using copy = await stores[backend].localCopy(originalKey(bucketId, generation));
  if (copy === null) throw new AppError('object_not_found');
  const { posterPath, film: made } = await films.inspect({ path: copy.path, type });
  const { poster } = readFilmRecord(made);
  try {
    await stores[backend].put(filmKey(bucketId, generation, posterName), await readFile(posterPath));
  } finally {
    await rm(posterPath, { force: true });
  }
  await database.write(async (tx) => {
    const found = tx.selectFrom('objects').select('film').where('generation', '=', generation);
    const row = await lockingRows(tx, found).executeTakeFirst();
    if (!row) return;
    const record = JSON.stringify({ ...readFilmRecord(row.film), poster });
    await tx.updateTable('objects').set({ film: record }).where('generation', '=', generation).execute();
    await enqueue(tx, [manifestJob(film)]);
  });
}

/** One with a watermark is left to the next request, which knows whose it is. */
async function remakeVariant(
  { stores }: Core,
  { maker }: ImageService,
  object: ObjectRow,
  name: string,
): Promise<boolean> {
  const asked = parseTransformation(name);
  if (asked.kind !== 'variant' || asked.tokens.mark !== undefined) return false;
  try {
    const { tokens, format } = asked;
    if (format === 'auto' || format === 'json') return false;
    const original = originalImageOf(stores, object, tokens.t);
    const transformation = { kind: 'variant', tokens, format } as const;
    await maker.make(original, transformation, { kept: true, background: true });
    // One that another node had only cached is here now, but does not stay in the store.
    await maker.keep(original, variantFileName(transformation));
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
