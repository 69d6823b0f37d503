// Carries the files of a stream from where they were made to the object's storage, and remembers what they are.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Stores } from '../objects/stores.ts';
import { failpoint } from '../platform/failpoints.ts';
import { type FilmPlace, streamFileKey, type StreamFile, writeStreamIndex } from './stream-index.ts';

export class KeptStreamFiles {
  readonly #stores: Stores;
  readonly #film: FilmPlace;
  readonly #byRevision = new Map<string, Map<string, StreamFile>>();

  constructor(stores: Stores, film: FilmPlace) {
    this.#stores = stores;
    this.#film = film;
  }

  /** `name` is the revision of the stream, a slash, and the file's name in it. */
  async keep(name: string, path: string): Promise<void> {
    const slash = name.indexOf('/');
    const [revision, file] = [name.slice(0, slash), name.slice(slash + 1)];
    const hash = createHash('sha256');
    const source = (async function* () {
      for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    })();
    const { size } = await this.#stores[this.#film.backend].put(
      streamFileKey(this.#film, revision, file),
      source,
    );
    failpoint('film:file-kept');
    const files = this.#byRevision.get(revision) ?? new Map<string, StreamFile>();
    this.#byRevision.set(revision, files.set(file, { sizeBytes: size, sha256: hash.digest('hex') }));
  }

  async writeIndex(revision: string): Promise<void> {
    const files = this.#byRevision.get(revision) ?? new Map<string, StreamFile>();
    await writeStreamIndex(this.#stores, this.#film, revision, Object.fromEntries(files));
  }
}
