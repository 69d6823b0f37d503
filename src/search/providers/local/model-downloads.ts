// Fetches the models while pictures and questions wait for their next attempt: one download at a time, bound to no request,
// and after a failure not again at once.
import { glob, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWorkerPool } from '../../../platform/workers/worker-pool.ts';
import type { DownloadAnswer, DownloadTask, Fetched } from './local-protocol.ts';

const file = fileURLToPath(new URL('./download-worker.ts', import.meta.url));
const silenceMs = 2 * 60_000;
const retryAfterMs = 5 * 60_000;

export type DownloadLog = {
  info?(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

export type ModelDownloads = {
  /** Begins a download unless one runs, or failed a short while ago; tells which of these it is. */
  request(): 'running' | DownloadFailure;
  close(): Promise<void>;
};

export type DownloadFailure = {
  readonly embedding: Fetched | 'no_library';
  readonly caption: Fetched | 'no_library';
};

export function createModelDownloads(
  task: DownloadTask & { readonly maxRssBytes: number; readonly log?: DownloadLog | undefined },
): ModelDownloads {
  const { log, maxRssBytes, ...models } = task;
  const pool = createWorkerPool<DownloadTask, DownloadAnswer>({
    file,
    size: 1,
    maxQueued: 1,
    idleMs: 0,
    wallTimeMs: Infinity,
    silenceMs,
    maxRssBytes,
    cleanUp: removeHalfFiles,
    fullMessage: 'The models are being downloaded already',
  });
  let running = false;
  let closed = false;
  let failed: { readonly failure: DownloadFailure; readonly atMs: number } | null = null;

  async function run(): Promise<void> {
    running = true;
    failed = null;
    const { embeddingModel, captionModel } = models;
    log?.info?.({ embeddingModel, captionModel }, 'the models are being downloaded');
    try {
      const outcome = await pool.run(models);
      const failure = failureOf(outcome.kind === 'downloaded' ? outcome : null, outcome.kind);
      if (failure === null) return log?.info?.({ embeddingModel, captionModel }, 'the models are there');
      failed = { failure, atMs: performance.now() };
      log?.warn({ ...outcome }, 'the models could not be downloaded');
    } catch (error) {
      log?.warn({ error: String(error) }, 'the download of the models was ended');
    } finally {
      running = false;
    }
  }

  return {
    request() {
      if (closed) return { embedding: 'unreachable', caption: 'unreachable' };
      if (running) return 'running';
      if (failed !== null && performance.now() - failed.atMs < retryAfterMs) return failed.failure;
      void run();
      return 'running';
    },
    async close() {
      closed = true;
      await pool.close();
    },
  };
}

function failureOf(
  downloaded: { readonly embedding: Fetched; readonly caption: Fetched } | null,
  kind: string,
): DownloadFailure | null {
  if (downloaded === null) {
    const both = kind === 'no_library' ? 'no_library' : 'unreachable';
    return { embedding: both, caption: both };
  }
  const { embedding, caption } = downloaded;
  return embedding === 'there' && caption === 'there' ? null : { embedding, caption };
}

/** The library writes beside the file first, with the number of its process in the name. */
async function removeHalfFiles({ modelsDir }: DownloadTask, pid: number): Promise<void> {
  for await (const half of glob(`**/*.tmp.${pid}.*`, { cwd: modelsDir })) {
    await rm(join(modelsDir, half), { force: true });
  }
}
