// The processes that read and encode films, and what their failures mean to whoever asked. Short tasks have workers of
// their own, so that neither an upload nor the first stream of a film ever waits for somebody else's to be encoded.
import { fileURLToPath } from 'node:url';
import type { WorkerLimits } from '../../platform/workers/watch-worker.ts';
import { createWorkerPool } from '../../platform/workers/worker-pool.ts';
import type { PoolStats, RunOptions, WorkerPool } from '../../platform/workers/worker-pool.ts';
import type { FilmFacts, FilmFile, StreamFolder } from '../film.ts';
import { failureOf, refusalOf } from './film-failure.ts';
import type { FilmAnswer, FilmTask } from './film-protocol.ts';
import type { Rung } from './ladder.ts';

const file = fileURLToPath(new URL('./film-worker.ts', import.meta.url));
const gigabyte = 1 << 30;

/** A film that needs more than this to show one frame is not worth it. */
const probeLimits: WorkerLimits = { wallTimeMs: 30_000, cpuTimeMs: 10_000, maxRssBytes: gigabyte };
/** How long it takes depends on the film; that it goes on can be expected. */
const transcodeLimits: WorkerLimits = {
  wallTimeMs: Infinity,
  silenceMs: 120_000,
  maxRssBytes: 3 * gigabyte,
};

type Given = { readonly signal?: AbortSignal };

export type FilmWorkers = {
  /** Reads what the film is and writes its poster, a JPEG as displayed. Throws `undecodable` for what is no film we take. */
  probe(film: FilmFile, options: Given & { posterPath: string }): Promise<FilmFacts>;
  /** The frame shown at a moment (clamped to the film), as such a JPEG. */
  still(film: FilmFile, options: Given & { atMs: number; outputPath: string }): Promise<void>;
  /** The film itself cut into segments without encoding anything; null when it must be encoded to be played. */
  remux(film: FilmFile, options: Given & { facts: FilmFacts; folder: string }): Promise<StreamFolder | null>;
  /** The given rungs in one decoding, with segments that begin at the same moments, and the sound beside them. */
  transcode(
    film: FilmFile,
    options: Given & {
      facts: FilmFacts;
      rungs: readonly Rung[];
      folder: string;
      /** Nothing of the film can be played yet: it goes before those that have something. */
      urgent?: boolean;
      onProgress?: (percent: number) => void;
    },
  ): Promise<StreamFolder>;
  /** original.mp4, storyboard.jpg and storyboard.vtt. */
  extras(
    film: FilmFile,
    options: Given & { facts: FilmFacts; streamFolder: string; stream: StreamFolder; folder: string },
  ): Promise<void>;
  stats(): PoolStats;
  pids(): number[];
  close(): Promise<void>;
};

export type FilmWorkersOptions = {
  readonly probes: number;
  readonly transcodes: number;
  readonly log?: { warn(fields: object, message: string): void };
  /** For tests. */
  readonly limits?: { readonly probe?: Partial<WorkerLimits>; readonly transcode?: Partial<WorkerLimits> };
};

export function createFilmWorkers({ probes, transcodes, log, limits }: FilmWorkersOptions): FilmWorkers {
  const fullMessage = 'Too many films are being read; try again in a moment';
  const kind = { file, idleMs: 30_000, maxQueued: 100, fullMessage };
  const short = createWorkerPool<FilmTask, FilmAnswer>({
    ...kind,
    ...probeLimits,
    ...limits?.probe,
    size: probes,
  });
  const cutting = createWorkerPool<FilmTask, FilmAnswer>({
    ...kind,
    ...transcodeLimits,
    ...limits?.transcode,
    size: 1,
  });
  const long = createWorkerPool<FilmTask, FilmAnswer>({
    ...kind,
    ...transcodeLimits,
    ...limits?.transcode,
    size: transcodes,
  });

  async function run<Kind extends FilmAnswer['kind']>(
    pool: WorkerPool<FilmTask, FilmAnswer>,
    task: FilmTask,
    expected: Kind,
    options: RunOptions,
  ): Promise<Extract<FilmAnswer, { kind: Kind }>> {
    const outcome = await pool.run(task, options);
    if (outcome.kind === expected) return outcome as Extract<FilmAnswer, { kind: Kind }>;
    log?.warn({ ...outcome, task: task.kind, path: task.film.path }, 'a film task failed');
    throw pool === short ? refusalOf(outcome) : failureOf(outcome);
  }

  const pools = [short, cutting, long];
  const later = { background: true };
  return {
    async probe(film, { posterPath, signal }) {
      return (await run(short, { kind: 'probe', film, posterPath }, 'probed', { signal })).facts;
    },
    async still(film, { atMs, outputPath, signal }) {
      await run(short, { kind: 'still', film, atMs, outputPath }, 'written', { signal });
    },
    async remux(film, { facts, folder, signal }) {
      const task = { kind: 'remux', film, facts, folder } as const;
      return (await run(cutting, task, 'streamed', { ...later, signal })).stream;
    },
    async transcode(film, { facts, rungs, folder, signal, urgent = false, onProgress }) {
      const task = { kind: 'transcode', film, facts, rungs, folder } as const;
      const { stream } = await run(long, task, 'streamed', { background: !urgent, signal, onProgress });
      return stream as StreamFolder;
    },
    async extras(film, { facts, streamFolder, stream, folder, signal }) {
      const task = { kind: 'extras', film, facts, streamFolder, stream, folder } as const;
      await run(long, task, 'written', { ...later, signal });
    },
    stats: () => pools.map((pool) => pool.stats()).reduce(sumOf),
    pids: () => pools.flatMap((pool) => pool.pids()),
    async close() {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

function sumOf(one: PoolStats, other: PoolStats): PoolStats {
  const names = Object.keys(one) as (keyof PoolStats)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as PoolStats;
}
