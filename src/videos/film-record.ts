// What is kept of a film beside the columns of its row, as JSON in the row itself: so it is deleted with it, and a database
// made again from manifests has it.
import type { FilmFacts } from './film.ts';
import type { Stream } from './provider.ts';
import type { StreamFile } from './stream-index.ts';

export type FilmRecord = {
  readonly facts: FilmFacts;
  /** Who makes its streams. */
  readonly provider: string;
  /** What the provider must know to go on. */
  readonly state: unknown;
  /** What can be played now. */
  readonly stream: Stream | null;
  /** How often the work on it has failed. */
  readonly failures: number;
  /** Its poster as it was made, to tell damage by; films of earlier versions have none. */
  readonly poster?: StreamFile;
};

export function newFilmRecord(facts: FilmFacts, provider: string, poster: StreamFile): FilmRecord {
  return { facts, provider, state: null, stream: null, failures: 0, poster };
}

export function readFilmRecord(film: string | null): FilmRecord {
  if (film === null) throw new Error('The record of a film is missing');
  return JSON.parse(film) as FilmRecord;
}
