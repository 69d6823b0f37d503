// Everything that looks into films, put together: the processes that decode, and what an upload and a still need of them.
// One for a whole service, however many processes answer requests.
import { hash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InspectedFilm } from '../objects/new-object-row.ts';
import type { Log } from '../platform/log.ts';
import { newOwnerName } from '../platform/owner-name.ts';
import type { FilmFile } from './film.ts';
import { newFilmRecord } from './film-record.ts';
import { createFilmWorkers, type FilmWorkers } from './local/film-workers.ts';
import { createLocalProvider } from './local/local-provider.ts';
import type { VideoProvider } from './provider.ts';

const probesAtOnce = 2;

export type FilmServiceOptions = {
  /** Where posters wait until they are kept; swept at every start. */
  posterFolder: string;
  /** Where streams grow until they are kept. */
  transcodingFolder: string;
  transcodes: number;
  /** Who makes the streams of new films. */
  providerName: string;
  log: Log;
};

export type FilmService = {
  readonly workers: FilmWorkers;
  readonly local: VideoProvider;
  readonly inspect: (film: { path: string; type: string }) => Promise<InspectedFilm>;
  /** Writes the frame of a moment as a JPEG. */
  readonly takeStill: (
    film: { path: string; type: string },
    options: { atMs: number; outputPath: string },
  ) => Promise<void>;
  close(): Promise<void>;
};

export function createFilmService(options: FilmServiceOptions): FilmService {
  const { posterFolder, transcodingFolder, transcodes, providerName, log } = options;
  const workers = createFilmWorkers({ probes: probesAtOnce, transcodes, log });
  return {
    workers,
    local: createLocalProvider({ workers, stagingFolder: transcodingFolder }),
    async inspect(film) {
      await mkdir(posterFolder, { recursive: true });
      const posterPath = join(posterFolder, newOwnerName());
      try {
        const facts = await workers.probe(film as FilmFile, { posterPath });
        const { durationMs, width, height } = facts;
        const poster = await readFile(posterPath);
        const record = newFilmRecord(facts, providerName, {
          sizeBytes: poster.length,
          sha256: hash('sha256', poster),
        });
        return { durationMs, width, height, film: JSON.stringify(record), posterPath };
      } catch (error) {
        await rm(posterPath, { force: true });
        throw error;
      }
    },
    takeStill: (film, still) => workers.still(film as FilmFile, still),
    close: () => workers.close(),
  };
}
