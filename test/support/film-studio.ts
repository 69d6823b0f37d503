// Workers with a folder of their own, for tests that put films through them.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FilmFacts, FilmFile, StreamFolder } from '../../src/videos/film.ts';
import { createFilmWorkers } from '../../src/videos/local/film-workers.ts';
import type { FilmWorkers } from '../../src/videos/local/film-workers.ts';
import { ladderOf } from '../../src/videos/local/ladder.ts';
import type { Rung } from '../../src/videos/local/ladder.ts';
import { saveFilm } from './films.ts';
import type { FilmOptions } from './films.ts';

export type Probed = { film: FilmFile; facts: FilmFacts; poster: string };

export type FilmStudio = AsyncDisposable & {
  readonly workers: FilmWorkers;
  /** Makes a film and lets it be read. */
  probed(options?: FilmOptions): Promise<Probed>;
  /** Encodes it into a folder of its own. */
  transcoded(source: Probed, rungs?: readonly Rung[]): Promise<{ at: string; stream: StreamFolder }>;
};

export async function openFilmStudio(): Promise<FilmStudio> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-films-'));
  const workers = createFilmWorkers({ probes: 1, transcodes: 1 });
  let made = 0;
  return {
    workers,
    async probed(options = {}) {
      const film = saveFilm(join(folder, `film-${(made += 1)}`), options);
      const poster = `${film.path}.jpg`;
      return { film, facts: await workers.probe(film, { posterPath: poster }), poster };
    },
    async transcoded({ film, facts }, rungs = ladderOf(facts)) {
      const at = `${film.path}-stream`;
      await mkdir(at);
      return { at, stream: await workers.transcode(film, { facts, rungs, folder: at }) };
    },
    async [Symbol.asyncDispose]() {
      await workers.close();
      await rm(folder, { recursive: true });
    },
  };
}

export function sumOf(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) * 1e6) / 1e6;
}
