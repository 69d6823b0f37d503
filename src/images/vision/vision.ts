// What only a model can tell of a picture: where its faces are, and what is in front. Each is found out once for an
// original and kept beside its variants; one at a time, because a model needs much memory.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SingleFlight } from '../../lib/single-flight.ts';
import { AppError } from '../../platform/errors.ts';
import { isThere } from '../../platform/is-there.ts';
import type { WorkerLimits } from '../../platform/workers/watch-worker.ts';
import { createWorkerPool, type PoolStats } from '../../platform/workers/worker-pool.ts';
import type { Point } from '../rendering/geometry.ts';
import { outcomeError } from '../rendering/outcome-error.ts';
import { nameFor, type OriginalImage } from '../variants/original-image.ts';
import { temporaryPath } from '../variants/variant-file.ts';
import type { VariantStore } from '../variants/variant-store.ts';
import type { Face, VisionAnswer, VisionTask } from './vision-protocol.ts';

const file = fileURLToPath(new URL('./vision-worker.ts', import.meta.url));
export const maskFileName = 'mask.png';
export const facesFileName = 'faces.json';

/** Whatever store it comes from. */
export type SeenImage = Omit<OriginalImage, 'backend' | 'row'>;

export type VisionOptions = WorkerLimits & {
  readonly store: VariantStore;
  /** A model file of the operator's; null for the one that comes with the packages. */
  readonly modelPath: string | null;
  readonly maxQueued: number;
  readonly idleMs: number;
  readonly log?: { warn(fields: object, message: string): void };
};

export type Vision = {
  /** The middle of the faces; null when there are none, or nothing here can tell. */
  findFaces(original: SeenImage): Promise<Point | null>;
  /** Where the mask of what is in front lies; made when it is not there. */
  makeMask(original: SeenImage): Promise<string>;
  stats(): PoolStats;
  close(): Promise<void>;
};

export function createVision(options: VisionOptions): Vision {
  const { store, modelPath, log } = options;
  const pool = createWorkerPool<VisionTask, VisionAnswer>({
    ...options,
    file,
    size: 1,
    cleanUp: async (task, pid) => {
      if (task.kind === 'mask')
        await rm(temporaryPath(task.outputPath, pid, task.stagingFolder), { force: true });
    },
    fullMessage: 'Too many pictures wait for their background to be removed; try again in a moment',
  });
  const flight = new SingleFlight<void>();

  function pathFor(original: SeenImage, name: string): string {
    const { fileName, kept } = findingOf(original, name);
    return store.pathOf(original, fileName, kept);
  }

  async function look(task: VisionTask): Promise<VisionAnswer> {
    const outcome = await pool.run(task);
    if (outcome.kind === 'masked' || outcome.kind === 'found') return outcome;
    log?.warn({ ...outcome, inputPath: task.inputPath }, 'a model could not look at a picture');
    if (outcome.kind !== 'unavailable') throw outcomeError(outcome);
    throw new AppError('not_implemented', 'This server has no model that removes backgrounds', {
      cause: new Error(outcome.reason),
    });
  }

  async function lookForFaces(original: SeenImage, path: string): Promise<void> {
    const inputPath = await original.localPath();
    const found = await look({ kind: 'faces', inputPath, source: original.facts });
    await store.makeFolder(path);
    const aside = temporaryPath(path, process.pid, store.stagingFolder);
    await writeFile(aside, JSON.stringify(found.kind === 'found' ? found.faces : []));
    await rename(aside, path);
  }

  return {
    async findFaces(original) {
      const path = pathFor(original, facesFileName);
      try {
        if ((await readFaces(path)) === null) await flight.run(path, () => lookForFaces(original, path));
        return middleOf((await readFaces(path)) ?? []);
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_implemented') return null;
        throw error;
      }
    },
    async makeMask(original) {
      const path = pathFor(original, maskFileName);
      if (await isThere(path)) return path;
      await flight.run(path, async () => {
        if (await isThere(path)) return;
        await store.makeFolder(path);
        const inputPath = await original.localPath();
        const { stagingFolder } = store;
        const { facts: source } = original;
        await look({ kind: 'mask', inputPath, source, outputPath: path, stagingFolder, modelPath });
      });
      return path;
    },
    stats: () => pool.stats(),
    close: () => pool.close(),
  };
}

/** Kept as long as the original; of one of a film's many moments, only while there is room. */
export function findingOf(original: SeenImage, name: string): { fileName: string; kept: boolean } {
  return { fileName: nameFor(original, name), kept: original.moment === undefined };
}

async function readFaces(path: string): Promise<Face[] | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Face[];
  } catch {
    return null;
  }
}

/** Large faces count more than small ones. */
function middleOf(faces: readonly Face[]): Point | null {
  const total = faces.reduce((sum, face) => sum + face.width * face.height, 0);
  if (total === 0) return null;
  const mean = (middle: (face: Face) => number): number =>
    faces.reduce((sum, face) => sum + middle(face) * face.width * face.height, 0) / total;
  return {
    x: mean(({ left, width }) => left + width / 2),
    y: mean(({ top, height }) => top + height / 2),
  };
}
