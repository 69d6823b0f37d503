// Streams made on this machine: something playable as soon as possible, then the whole ladder with what goes beside it.
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../platform/errors.ts';
import { isOwnerGone, newOwnerName } from '../../platform/owner-name.ts';
import { randomHex } from '../../platform/random.ts';
import type { FilmFile, StreamFolder } from '../film.ts';
import { FilmFault } from '../provider.ts';
import type { Film, Stream, VideoProvider, WorkContext, Worked } from '../provider.ts';
import type { FilmWorkers } from './film-workers.ts';
import { ladderOf } from './ladder.ts';
import type { Rung } from './ladder.ts';

const revisionBytes = 6;
/** Storage may be far away, and a stream has thousands of files. */
const keptAtOnce = 8;
const leftoverAgeMs = 7 * 24 * 3_600_000;
const extraFiles = ['original.mp4', 'storyboard.jpg', 'storyboard.vtt'];
/** Above it a first stream made of the film itself would be more than most connections carry. */
const maxOwnBitRate = 20_000_000;
/** A film that needs no more bits than this times its rung may stand for it. */
const saneBitRate = 1.5;
/** Of the whole work, by what they cost. */
const shares = { first: 15, ladder: 80, extras: 5 } as const;

export type LocalProviderOptions = {
  readonly workers: FilmWorkers;
  /** On the disk of the storage, where there is room for a film and its streams. */
  readonly stagingFolder: string;
};

type Made = { readonly folder: string; readonly stream: StreamFolder };
type Work = {
  readonly film: Film;
  readonly file: FilmFile;
  readonly context: WorkContext;
  readonly folder: string;
};

export function createLocalProvider({ workers, stagingFolder }: LocalProviderOptions): VideoProvider {
  const inUse = new Set<string>();

  /** What a process that died has left behind. */
  async function sweep(): Promise<void> {
    for (const name of await readdir(stagingFolder).catch(() => [])) {
      const path = join(stagingFolder, name);
      if (inUse.has(name)) continue;
      const facts = await stat(path).catch(() => null);
      const isOld = facts !== null && Date.now() - facts.mtimeMs > leftoverAgeMs;
      if (isOwnerGone(name) || isOld) await remove(path);
    }
  }

  async function withStaging<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
    const name = newOwnerName();
    inUse.add(name);
    try {
      await sweep();
      const folder = join(stagingFolder, name);
      await mkdir(folder, { recursive: true });
      return await work(folder);
    } finally {
      await remove(join(stagingFolder, name));
      inUse.delete(name);
    }
  }

  /** The film itself where it can be played as it is, otherwise its smallest rung. */
  async function makeFirst(work: Work, rungs: readonly Rung[]): Promise<Made & { isOwn: boolean }> {
    const { film, file, context } = work;
    const folder = join(work.folder, 'first');
    await mkdir(folder, { recursive: true });
    const given = { facts: film.facts, folder, signal: context.signal };
    const own = film.facts.bitRate <= maxOwnBitRate ? await workers.remux(file, given) : null;
    if (own !== null) return { folder, stream: own, isOwn: true };
    await mkdir(folder, { recursive: true });
    const onProgress = (percent: number): void => context.progress((percent * shares.first) / 100);
    const stream = await workers.transcode(file, {
      ...given,
      rungs: rungs.slice(-1),
      urgent: true,
      onProgress,
    });
    return { folder, stream, isOwn: false };
  }

  async function makeLadder(work: Work, rungs: readonly Rung[]): Promise<Made> {
    const { film, file, context } = work;
    const folder = join(work.folder, 'ladder');
    await mkdir(folder, { recursive: true });
    const onProgress = (percent: number): void =>
      context.progress(shares.first + (percent * shares.ladder) / 100);
    const { facts } = film;
    const stream = await workers.transcode(file, {
      facts,
      rungs,
      folder,
      signal: context.signal,
      onProgress,
    });
    return { folder, stream };
  }

  async function finish(work: Work, made: Made, keptRevision: string | null): Promise<Worked> {
    const { film, file, context } = work;
    const folder = join(work.folder, 'extras');
    const { facts } = film;
    const { stream, folder: streamFolder } = made;
    context.progress(shares.first + shares.ladder);
    await workers.extras(file, { facts, stream, streamFolder, folder, signal: context.signal });
    const revision = keptRevision ?? (await keepStream(context, made));
    for (const name of extraFiles) await context.keep(`${revision}/${name}`, join(folder, name));
    context.progress(100);
    return { kind: 'ready', stream: { kind: 'own', revision, renditions: stream.renditions, extras: true } };
  }

  async function makeStreams(work: Work): Promise<Worked> {
    const { film, context } = work;
    const rungs = ladderOf(film.facts);
    const first = await makeFirst(work, rungs);
    const isWhole = first.isOwn ? isLadderItself(film, rungs) : rungs.length === 1;
    const revision = await keepStream(context, first);
    await context.publish(ownStream(revision, first.stream));
    context.progress(shares.first);
    return isWhole ? finish(work, first, revision) : finish(work, await makeLadder(work, rungs), null);
  }

  return {
    name: 'local',
    async work(film, _state, context) {
      const file = await film.localFile();
      return withStaging(async (folder) => {
        try {
          return await makeStreams({ film, file, context, folder });
        } catch (error) {
          if (error instanceof AppError && error.code === 'undecodable') throw new FilmFault(error.message);
          throw error;
        }
      });
    },
    // Everything we made lies in the storage, which whoever called tidies up.
    async remove() {},
  };
}

function ownStream(revision: string, { renditions }: StreamFolder): Stream {
  return { kind: 'own', revision, renditions, extras: false };
}

/** A small film whose own pictures are as good as any we could make of them. */
function isLadderItself({ facts }: Film, rungs: readonly Rung[]): boolean {
  const [only] = rungs;
  if (rungs.length !== 1 || only === undefined) return false;
  const fits = facts.width <= only.width && facts.height <= only.height;
  return fits && facts.bitRate <= only.maxBitRate * saneBitRate;
}

async function keepStream(context: WorkContext, { folder, stream }: Made): Promise<string> {
  const revision = randomHex(revisionBytes);
  const keep = (file: string): Promise<void> => context.keep(`${revision}/${file}`, join(folder, file));
  const [master, ...others] = stream.files.toReversed() as [string, ...string[]];
  for (let at = 0; at < others.length; at += keptAtOnce) {
    context.signal.throwIfAborted();
    await Promise.all(others.slice(at, at + keptAtOnce).map(keep));
  }
  // Last, so that whoever finds it finds everything.
  await keep(master);
  return revision;
}

/** A worker that was just killed may still be writing its last bytes. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
