// The job that makes a film playable: gives it to its provider, writes down how far it is, and ends it as ready or failed,
// in one transaction with the event that tells of it. Whatever dies in between begins again.
import { recordEvent } from '../events/record-event.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import { enqueue, type Job, type JobHandler } from '../platform/jobs/jobs.ts';
import type { Log } from '../platform/log.ts';
import { isStorageAway } from '../platform/storage/storage-error.ts';
import type { LocalCopy } from '../platform/storage/storage.ts';
import { objectTopic, objectTopicKey } from '../objects/change-object.ts';
import { manifestJob } from '../objects/manifests.ts';
import { filmFolderKey, originalKey } from '../objects/object-keys.ts';
import { objectEventData } from '../objects/object-event-data.ts';
import { objectUrl, type PublicUrls } from '../objects/object-json.ts';
import type { Stores } from '../objects/stores.ts';
import type { ObjectRow } from '../objects/tables.ts';
import type { FilmType } from './film.ts';
import { type FilmRecord, readFilmRecord } from './film-record.ts';
import { KeptStreamFiles } from './keep-stream-files.ts';
import { FilmProgress } from './film-progress.ts';
import {
  type Film,
  FilmFault,
  ProviderUnavailable,
  type Stream,
  type VideoProvider,
  type WorkContext,
} from './provider.ts';
import { tidyFilmJob } from './tidy-film.ts';

const kind = 'process-film';
const maxFailures = 3;
/** Deaths of the whole service are not the film's fault; only failures of the work on it are counted. */
const maxAttempts = 1000;
const failedSentence =
  'Processing failed three times. The file may be damaged: play it on your computer, save it again as MP4 and upload that';

/** Has a film looked at now that waits for somebody else; one that is done or gone needs nothing. */
export async function wakeFilm(database: Database, generation: string): Promise<void> {
  const object = await findUnfinished(database, generation);
  if (object) await database.write((tx) => enqueue(tx, [processFilmJob(object)]));
}

export function processFilmJob({ generation }: Pick<ObjectRow, 'generation'>): Job {
  return { kind, key: generation, payload: { generation } };
}

export type ProcessParts = {
  database: Database;
  stores: Stores;
  urls: PublicUrls;
  /** By name; new films go to the current one. */
  providers: { all: ReadonlyMap<string, VideoProvider>; current: VideoProvider };
  log: Log;
};

export function processFilmHandlers(parts: ProcessParts): Record<string, JobHandler> {
  const underWay: UnderWay = new Map();
  parts.database.listen(objectTopic, (key) => underWay.get(key)?.look());
  return {
    [kind]: {
      run: async ({ generation }: { generation: string }, { signal }) => {
        const object = await findUnfinished(parts.database, generation);
        if (object) await new FilmWork(parts, object, underWay).run(signal);
      },
      maxAttempts,
    },
  };
}

/** Films that are worked on here, by their topic: they are told when something happens to their object. */
type UnderWay = Map<string, FilmProgress>;

/** The film was deleted while it was worked on. */
class FilmGone extends Error {}

class FilmWork {
  readonly #parts: ProcessParts;
  readonly #object: ObjectRow;
  readonly #files: KeptStreamFiles;
  readonly #gone = new AbortController();
  readonly #underWay: UnderWay;
  #record: FilmRecord;
  /** Held until the work is over. */
  #original: LocalCopy | null = null;

  constructor(parts: ProcessParts, object: ObjectRow, underWay: UnderWay) {
    this.#parts = parts;
    this.#object = object;
    this.#underWay = underWay;
    this.#record = readFilmRecord(object.film);
    this.#files = new KeptStreamFiles(parts.stores, object);
  }

  async run(stopping: AbortSignal): Promise<void> {
    const provider = this.#provider();
    const progress = new FilmProgress(this.#parts.database, this.#object, () =>
      this.#gone.abort(new FilmGone()),
    );
    const topicKey = objectTopicKey(this.#object);
    this.#underWay.set(topicKey, progress);
    const signal = AbortSignal.any([stopping, this.#gone.signal]);
    try {
      if (this.#object.status === 'queued') await this.#change({ status: 'processing' });
      const worked = await provider.work(this.#film(), this.#record.state, this.#context(signal, progress));
      await progress.stop();
      if (worked.kind === 'waiting') return await this.#askAgain(worked.afterMs);
      await this.#end({ status: 'ready', progress: 100, error: null }, worked.stream);
    } catch (error) {
      await progress.stop();
      if (stopping.aborted) throw error;
      await this.#failed(error);
    } finally {
      this.#underWay.delete(topicKey);
      this.#original?.release();
      await this.#removeIfGone();
    }
  }

  #provider(): VideoProvider {
    const { all, current } = this.#parts.providers;
    const begun = all.get(this.#record.provider);
    if (begun) return begun;
    // The operator has another one since: it begins from nothing.
    this.#record = { ...this.#record, provider: current.name, state: null };
    return current;
  }

  #film(): Film {
    const { stores, urls } = this.#parts;
    const { generation, bucket_id: bucketId, object_id: objectId, backend, type } = this.#object;
    return {
      generation,
      bucketId,
      objectId,
      facts: this.#record.facts,
      type: type as FilmType,
      originalUrl: `${objectUrl(urls, this.#object)}original`,
      localFile: async () => {
        this.#original ??= await stores[backend].localCopy(originalKey(bucketId, generation));
        if (!this.#original) throw new Error('The original of the film is missing');
        return { path: this.#original.path, type: type as FilmType };
      },
    };
  }

  #context(signal: AbortSignal, progress: FilmProgress): WorkContext {
    return {
      signal,
      progress: (percent) => progress.set(percent),
      remember: (state) => this.#change({}, { state }),
      keep: async (name, path) => {
        signal.throwIfAborted();
        await this.#files.keep(name, path);
      },
      publish: async (stream) => {
        await this.#writeIndex(stream);
        await this.#change({}, { stream });
        failpoint('film:published');
      },
    };
  }

  async #writeIndex(stream: Stream): Promise<void> {
    if (stream.kind === 'own') await this.#files.writeIndex(stream.revision);
  }

  async #askAgain(afterMs: number): Promise<void> {
    await this.#parts.database.write((tx) =>
      enqueue(tx, [{ ...processFilmJob(this.#object), runAt: this.#parts.database.now() + afterMs }]),
    );
  }

  async #failed(error: unknown): Promise<void> {
    if (error instanceof FilmGone || this.#gone.signal.aborted) return;
    if (error instanceof ProviderUnavailable || isStorageAway(error)) throw error;
    const isFault = error instanceof FilmFault;
    const failures = this.#record.failures + 1;
    this.#record = { ...this.#record, failures };
    if (isFault || failures >= maxFailures) {
      const { generation } = this.#object;
      this.#parts.log.warn({ err: error, generation, failures }, 'a film could not be processed');
      await this.#end({ status: 'failed', error: isFault ? error.message : failedSentence }, null);
      return;
    }
    await this.#change({}, { failures });
    throw error;
  }

  async #end(
    columns: Pick<ObjectRow, 'status' | 'error'> & Partial<Pick<ObjectRow, 'progress'>>,
    stream: Stream | null,
  ): Promise<void> {
    if (stream) await this.#writeIndex(stream);
    await this.#change(columns, { stream }, (tx, object) =>
      Promise.all([
        recordEvent(tx, {
          accountId: object.account_id,
          type: object.status === 'ready' ? 'video.ready' : 'video.failed',
          data: objectEventData(this.#parts.urls, object),
        }),
        enqueue(tx, [manifestJob(object), ...tidyFilmJob(object)]),
      ]),
    );
    failpoint('film:ended');
  }

  /** Of a film that was deleted or ended by another run, nothing is changed: whoever works on it stops. */
  async #change(
    columns: Partial<Pick<ObjectRow, 'status' | 'error' | 'progress'>>,
    record: Partial<FilmRecord> = {},
    also?: (tx: Tx, object: ObjectRow) => Promise<unknown>,
  ): Promise<void> {
    const { database } = this.#parts;
    const changed = { ...this.#record, ...record };
    const object = await database.write(async (tx) => {
      const row = await tx
        .updateTable('objects')
        .set({ ...columns, film: JSON.stringify(changed) })
        .where('generation', '=', this.#object.generation)
        .where('status', 'in', ['queued', 'processing'])
        .returningAll()
        .executeTakeFirst();
      if (!row) return null;
      await Promise.all([also?.(tx, row), database.announce(tx, objectTopic, objectTopicKey(row))]);
      return row;
    });
    if (!object) throw new FilmGone();
    this.#record = changed;
  }

  /** What was kept after the deletion's own purge must not stay. */
  async #removeIfGone(): Promise<void> {
    const { database, stores } = this.#parts;
    const { generation, backend, bucket_id: bucketId } = this.#object;
    const query = database.read.selectFrom('objects').select('generation');
    if (await query.where('generation', '=', generation).executeTakeFirst()) return;
    await stores[backend].deleteFolder(filmFolderKey(bucketId, generation));
  }
}

function findUnfinished(database: Database, generation: string): Promise<ObjectRow | undefined> {
  return database.read
    .selectFrom('objects')
    .selectAll()
    .where('generation', '=', generation)
    .where('status', 'in', ['queued', 'processing'])
    .executeTakeFirst();
}
