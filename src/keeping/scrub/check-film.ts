// Checks what was made of a film: its poster by the hash in its record, and each file of its stream by the stream's index.
import { text } from 'node:stream/consumers';
import { objectTopic, objectTopicKey } from '../../objects/change-object.ts';
import { filmFolderKey, filmKey, posterName } from '../../objects/object-keys.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { isKeySegment } from '../../platform/storage/storage-key.ts';
import { type FilmRecord, readFilmRecord } from '../../videos/film-record.ts';
import { processFilmJob } from '../../videos/process-film.ts';
import {
  streamFileKey,
  type StreamFile,
  type StreamIndex,
  streamIndexName,
} from '../../videos/stream-index.ts';
import { forEachAtOnce } from '../at-once.ts';
import { hashStored } from '../files/hash-file.ts';
import { findRecord, reportOf, type ScrubParts } from './scrub-parts.ts';

const filesAtOnce = 4;

/** Nothing can be made anew of an original that is not sound. */
export async function checkFilm(parts: ScrubParts, film: ObjectRow, isSound: boolean): Promise<void> {
  const record = readFilmRecord(film.film);
  await checkPoster(parts, film, record, isSound);
  if (film.status !== 'ready' || record.stream?.kind !== 'own') return;
  const { revision } = record.stream;
  const repair = isSound ? () => processAgain(parts, film, record) : null;
  await checkStream(parts, film, { revision, isStill: () => isCurrent(parts, film, revision), repair });
  for (const earlier of await earlierRevisions(parts, film, revision))
    await checkEarlier(parts, film, earlier);
}

/** Somebody may still be playing from it, so it must be right as long as it is there. */
async function checkEarlier(parts: ScrubParts, film: ObjectRow, revision: string): Promise<void> {
  const storage = parts.stores[film.backend];
  const isStill = async (): Promise<boolean> =>
    (await storage.head(streamFileKey(film, revision, streamIndexName))) !== null;
  // One without an index was never published, and nobody is served from it.
  if (!(await isStill())) return;
  await checkStream(parts, film, {
    revision,
    isStill,
    async repair() {
      await storage.deleteFolder(filmKey(film.bucket_id, film.generation, `${revision}/`));
      return 'removed: a newer stream is in its place';
    },
  });
}

async function earlierRevisions(parts: ScrubParts, film: ObjectRow, current: string): Promise<string[]> {
  const folder = filmFolderKey(film.bucket_id, film.generation);
  const found = new Set<string>();
  for await (const { key } of parts.stores[film.backend].list(folder)) {
    const [revision = '', ...rest] = key.slice(folder.length).split('/');
    if (rest.length > 0 && revision !== current) found.add(revision);
  }
  return [...found];
}

type StreamCheck = {
  revision: string;
  /** Whoever processes a film again puts another stream in the place of this one, and takes it away. */
  isStill: () => Promise<boolean>;
  repair: (() => Promise<string | null>) | null;
};

async function checkStream(
  parts: ScrubParts,
  film: ObjectRow,
  { revision, isStill, repair }: StreamCheck,
): Promise<void> {
  const faults = await faultsOfStream(parts, film, revision);
  if (faults.length === 0 || !(await isStill())) return;
  const repaired = repair && parts.repair ? await repair() : null;
  for (const fault of faults)
    await reportOf(
      parts,
      film,
      { kind: 'stream', ...fault },
      repaired === null ? null : async () => repaired,
    );
}

async function checkPoster(
  parts: ScrubParts,
  film: ObjectRow,
  { poster }: FilmRecord,
  isSound: boolean,
): Promise<void> {
  const key = filmKey(film.bucket_id, film.generation, posterName);
  const found = await hashStored(parts.stores[film.backend], key, parts.pace);
  parts.onFile();
  // Films of earlier versions have no hash of it.
  if (found && (poster === undefined || found.sha256 === poster.sha256)) return;
  const problem = found ? ('damaged' as const) : ('missing' as const);
  const detail = found ? 'has other bytes than were made' : 'is gone';
  const remake = async (): Promise<string> => {
    await parts.remakePoster(film);
    return 'made anew';
  };
  await reportOf(parts, film, { kind: 'poster', problem, key, detail }, isSound ? remake : null);
}

type Fault = { problem: 'missing' | 'damaged'; key: string; detail: string };

async function faultsOfStream(parts: ScrubParts, film: ObjectRow, revision: string): Promise<Fault[]> {
  const storage = parts.stores[film.backend];
  const indexKey = streamFileKey(film, revision, streamIndexName);
  const stream = await storage.get(indexKey);
  parts.onFile();
  if (!stream) return [{ problem: 'missing', key: indexKey, detail: 'is gone' }];
  const index = parseIndex(await text(stream));
  if (!index) return [{ problem: 'damaged', key: indexKey, detail: 'is not as it was written' }];
  const faults: Fault[] = [];
  await forEachAtOnce(Object.entries(index), filesAtOnce, async ([name, { sizeBytes, sha256 }]) => {
    const key = streamFileKey(film, revision, name);
    const found = await hashStored(storage, key, parts.pace);
    parts.onFile();
    if (found?.sha256 === sha256 && found.sizeBytes === sizeBytes) return;
    if (!found) faults.push({ problem: 'missing', key, detail: 'is gone' });
    else faults.push({ problem: 'damaged', key, detail: 'has other bytes than its index says' });
  });
  return faults;
}

function parseIndex(json: string): StreamIndex | null {
  try {
    const index = JSON.parse(json) as Record<string, Partial<StreamFile>>;
    const isWhole = Object.entries(index).every(
      ([name, file]) =>
        name.split('/').every(isKeySegment) &&
        typeof file.sizeBytes === 'number' &&
        typeof file.sha256 === 'string',
    );
    return isWhole && JSON.stringify(index) === json ? (index as StreamIndex) : null;
  } catch {
    return null;
  }
}

async function isCurrent(parts: ScrubParts, film: ObjectRow, revision: string): Promise<boolean> {
  const now = await findRecord(parts, film.generation);
  const stream = now?.status === 'ready' ? readFilmRecord(now.film).stream : null;
  return stream?.kind === 'own' && stream.revision === revision;
}

/** What is there is played until the new one is ready. */
async function processAgain(
  { database }: ScrubParts,
  film: ObjectRow,
  record: FilmRecord,
): Promise<string | null> {
  const again: FilmRecord = { ...record, state: null, failures: 0 };
  const isQueued = await database.write(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('objects')
      .set({ status: 'queued', progress: 0, error: null, film: JSON.stringify(again) })
      .where('generation', '=', film.generation)
      .where('status', '=', 'ready')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await Promise.all([
      enqueue(tx, [processFilmJob(film)]),
      database.announce(tx, objectTopic, objectTopicKey(film)),
    ]);
    return true;
  });
  return isQueued ? 'the film will be processed again' : null;
}
