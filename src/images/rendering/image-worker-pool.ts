// The processes that decode pictures, and what a client is told when one fails.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { WorkerLimits } from '../../platform/workers/watch-worker.ts';
import { createWorkerPool, type PoolStats } from '../../platform/workers/worker-pool.ts';
import { outcomeError } from './outcome-error.ts';
import { temporaryPath } from '../variants/variant-file.ts';
import type {
  DescribeTask,
  Description,
  ImageAnswer,
  ImageTask,
  RenderResult,
  RenderTask,
} from './worker-protocol.ts';

const file = fileURLToPath(new URL('./image-worker.ts', import.meta.url));

export type ImageWorkerPoolOptions = WorkerLimits & {
  readonly size: number;
  readonly maxQueued: number;
  readonly idleMs: number;
  readonly log?: { warn(fields: object, message: string): void };
};

export type TaskOptions = { readonly background?: boolean; readonly signal?: AbortSignal };

export type ImageWorkerPool = {
  render(task: RenderTask, options?: TaskOptions): Promise<RenderResult>;
  /** What a picture looks like in a few bytes. */
  describe(task: DescribeTask, options?: TaskOptions): Promise<Description>;
  assertRoom(): void;
  stats(): PoolStats;
  pids(): number[];
  close(): Promise<void>;
};

export function createImageWorkerPool(options: ImageWorkerPoolOptions): ImageWorkerPool {
  const pool = createWorkerPool<ImageTask, ImageAnswer>({
    ...options,
    file,
    cleanUp: async (task, pid) => {
      if (task.kind === 'render')
        await rm(temporaryPath(task.outputPath, pid, task.stagingFolder), { force: true });
    },
    fullMessage: 'Too many pictures are being rendered; try again in a moment',
  });

  async function run<Kind extends 'rendered' | 'described'>(
    task: ImageTask,
    expected: Kind,
    { background = false, signal }: TaskOptions,
    heavy: boolean,
  ): Promise<Extract<ImageAnswer, { kind: Kind }>> {
    const outcome = await pool.run(task, { background, heavy, signal });
    if (outcome.kind === expected) return outcome as Extract<ImageAnswer, { kind: Kind }>;
    options.log?.warn({ ...outcome, inputPath: task.inputPath }, 'rendering failed');
    throw outcomeError(outcome as Exclude<typeof outcome, { kind: 'rendered' | 'described' }>);
  }

  return {
    async render(task, taskOptions = {}) {
      const heavy = task.costClass === 'heavy';
      return (await run({ ...task, kind: 'render' }, 'rendered', taskOptions, heavy)).result;
    },
    async describe(task, taskOptions = {}) {
      return (await run({ ...task, kind: 'describe' }, 'described', taskOptions, false)).description;
    },
    assertRoom: () => pool.assertRoom(),
    stats: () => pool.stats(),
    pids: () => pool.pids(),
    close: () => pool.close(),
  };
}
