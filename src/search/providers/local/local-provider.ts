// Models on this machine: pictures and questions become vectors of one space, and nothing leaves the machine. One worker
// process has the models, because each copy of them costs hundreds of megabytes.
import { fileURLToPath } from 'node:url';
import { createWorkerPool } from '../../../platform/workers/worker-pool.ts';
import type { PoolStats } from '../../../platform/workers/worker-pool.ts';
import type { AiProvider } from '../ai-provider.ts';
import { pictureScales, questionScales } from './calibration.ts';
import { full, fullMessage, notTaken, unanswered } from './local-faults.ts';
import type { LocalAnswer, LocalTask } from './local-protocol.ts';
import { createModelChoice } from './model-choice.ts';
import type { DownloadLog } from './model-downloads.ts';
import { readFamily } from './model-files.ts';
import type { Family } from './model-files.ts';
import { questionText } from './question-text.ts';
import { runUntilAborted } from './run-until-aborted.ts';

const file = fileURLToPath(new URL('./local-worker.ts', import.meta.url));
const hub = 'https://huggingface.co/';

export type LocalProviderOptions = {
  readonly modelsDir: string;
  /** Whether models that are missing may be fetched. */
  readonly download: boolean;
  readonly embeddingModel: string;
  /** Null for no captions. */
  readonly captionModel: string | null;
  readonly log?: DownloadLog;
  /** Of questions, and as many of pictures, which come after them. */
  readonly maxQueued?: number;
  readonly wallTimeMs?: number;
  /** The worker is replaced when it holds more than half of it. */
  readonly maxRssBytes?: number;
  readonly idleMs?: number;
  /** A mirror of the hub. */
  readonly hubAddress?: string;
};

export type LocalProvider = AiProvider & {
  stats(): PoolStats;
  /** Process ids of the workers, for whoever watches or tests them. */
  pids(): number[];
  close(): Promise<void>;
};

/** Names the space of its vectors. */
export function localModel(embeddingModel: string): string {
  return `local/${embeddingModel}`;
}

export function createLocalProvider(options: LocalProviderOptions): LocalProvider {
  const { modelsDir, embeddingModel, log, hubAddress = hub } = options;
  const { maxQueued = 32, maxRssBytes = 6 * 1024 ** 3 } = options;
  const models = createModelChoice({ ...options, hubAddress, maxRssBytes, log });
  const worker = startWorker({ ...options, maxQueued, maxRssBytes });
  const familyNow = rememberFamily(modelsDir, embeddingModel);
  let picturesWaiting = 0;

  return {
    model: localModel(embeddingModel),
    captionModel: options.captionModel === null ? null : `local/${options.captionModel}`,
    get questionScale() {
      return questionScales[familyNow()];
    },
    get pictureScale() {
      return pictureScales[familyNow()];
    },
    async analyse({ path, caption: known }, signal) {
      if (picturesWaiting >= maxQueued) throw full();
      picturesWaiting += 1;
      try {
        const embedding = await models.embedding();
        const caption = known === null ? await models.caption() : null;
        const { vector, caption: found } = await worker.run(
          { kind: 'picture', modelsDir, path, embedding, caption },
          signal,
        );
        return { caption: known ?? found, vector: Float32Array.from(vector) };
      } finally {
        picturesWaiting -= 1;
      }
    },
    async embed(question, signal) {
      const embedding = await models.embedding();
      const text = questionText(embedding.family, question);
      const { vector } = await worker.run({ kind: 'question', modelsDir, text, embedding }, signal);
      return Float32Array.from(vector);
    },
    stats: () => worker.stats(),
    pids: () => worker.pids(),
    async close() {
      await Promise.all([worker.close(), models.close()]);
    },
  };
}

type Embedded = Extract<LocalAnswer, { kind: 'embedded' }>;

function startWorker(
  options: LocalProviderOptions & { readonly maxQueued: number; readonly maxRssBytes: number },
) {
  const { wallTimeMs = 120_000, idleMs = 10 * 60_000, maxQueued, maxRssBytes, log } = options;
  const limits = { wallTimeMs, maxRssBytes };
  const pool = createWorkerPool<LocalTask, LocalAnswer>({
    ...limits,
    file,
    size: 1,
    maxQueued,
    idleMs,
    fullMessage,
  });
  return {
    async run(task: LocalTask, signal: AbortSignal): Promise<Embedded> {
      // Somebody waits for the answer to a question; a picture has time.
      const background = task.kind === 'picture';
      const outcome = await runUntilAborted(signal, (whileQueued, onProgress) =>
        pool.run(task, { background, signal: whileQueued, onProgress }),
      ).catch((error: unknown) => {
        throw notTaken(error);
      });
      if (outcome.kind === 'embedded') return outcome;
      log?.warn({ ...outcome, task: task.kind }, 'a model did not do its work');
      throw unanswered(outcome);
    },
    stats: () => pool.stats(),
    pids: () => pool.pids(),
    close: () => pool.close(),
  };
}

/** Known from the moment the model is there; before that, there is nothing to compare. */
function rememberFamily(modelsDir: string, name: string): () => Family {
  let family: Family | null = null;
  return () => {
    family ??= readFamily(modelsDir, name);
    return family ?? 'clip';
  };
}
