// The real vision worker for tests: forked as the server does, one task at a time. Says loudly when the optional packages
// it needs are not installed.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { type Scratch, scratchFolder } from './plain-quarters.ts';
import type { WorkerMessage } from '../../src/platform/workers/worker-process.ts';
import type { VisionAnswer, VisionTask } from '../../src/images/vision/vision-protocol.ts';

const workerFile = fileURLToPath(new URL('../../src/images/vision/vision-worker.ts', import.meta.url));
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

export type VisionWorker = AsyncDisposable & {
  run(task: VisionTask): Promise<VisionAnswer>;
  /** As reported with the last answer. */
  rssBytes(): number;
};

export async function startVisionWorker(file: string = workerFile): Promise<VisionWorker> {
  const child = fork(file, [], {
    execArgv: [],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  let rssBytes = 0;
  const gone = once(child, 'exit').then(() => Promise.reject(new Error('the vision worker ended')));
  gone.catch(() => {});
  return {
    async run(task) {
      const answered = once(child, 'message') as Promise<[WorkerMessage<VisionAnswer>]>;
      child.send(task);
      const [message] = await Promise.race([answered, gone]);
      if (message.kind !== 'answer') throw new Error(`unexpected ${message.kind}`);
      rssBytes = message.rssBytes;
      return message.answer;
    },
    rssBytes: () => rssBytes,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await gone.catch(() => {});
    },
  };
}

export type UsedVision = {
  scratch: Scratch;
  worker: VisionWorker;
  maskFor(inputPath: string, modelPath?: string | null): Promise<Mask>;
};

/** A worker and a folder for the tests of a file; both are there once its tests begin. */
export function useVisionWorker(): UsedVision {
  const used = {
    maskFor: (inputPath, modelPath = null) => maskOf(used.worker, inputPath, used.scratch.path, modelPath),
  } as UsedVision;
  before(async () => {
    used.scratch = await scratchFolder();
    used.worker = await startVisionWorker();
  });
  after(async () => {
    await used.worker[Symbol.asyncDispose]();
    await used.scratch[Symbol.asyncDispose]();
  });
  return used;
}

export type Mask = {
  readonly width: number;
  readonly height: number;
  readonly subject: boolean;
  readonly at: (x: number, y: number) => number;
};

/** The mask the worker makes of a picture, whose file must be what was promised. */
export async function maskOf(
  worker: VisionWorker,
  inputPath: string,
  folder: string,
  modelPath: string | null = null,
): Promise<Mask> {
  const outputPath = join(folder, 'mask.png');
  const source = await sizeOf(inputPath);
  const answer = await worker.run({ kind: 'mask', inputPath, source, outputPath, modelPath });
  assert.ok(answer.kind === 'masked', JSON.stringify(answer));
  const { format, channels, depth } = await sharp(outputPath).metadata();
  assert.deepEqual({ format, channels, depth }, { format: 'png', channels: 1, depth: 'uchar' });
  const { data, info } = await sharp(outputPath).raw().toBuffer({ resolveWithObject: true });
  const { width, height, subject } = answer;
  assert.deepEqual([info.width, info.height], [width, height]);
  const at = (x: number, y: number): number =>
    data[(Math.round(y) * width + Math.round(x)) * info.channels] ?? -1;
  return { width, height, subject, at };
}

/** As displayed. */
export async function sizeOf(path: string): Promise<{ width: number; height: number }> {
  const { width, height } = (await sharp(path).metadata()).autoOrient;
  return { width, height };
}

export function onPaper(shape: string, width: number, height: number, paper = '#eee9e2'): Buffer {
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    ${paper === '' ? '' : `<rect width="100%" height="100%" fill="${paper}"/>`}${shape}</svg>`);
}

/** A product, 800×1000. */
export const bottle =
  '<rect x="300" y="330" width="200" height="400" rx="40" fill="#14335c"/><rect x="360" y="180" width="80" height="200" rx="14" fill="#14335c"/>';

/** For `skip`: false when all packages are there, otherwise the reason, which is also printed. */
export function missingPackages(...files: readonly string[]): string | false {
  const missing = files.filter((file) => !isInstalled(file));
  if (missing.length === 0) return false;
  const reason = `NOT TESTED: ${missing.join(' and ')} cannot be found; install the optional dependencies`;
  console.error(`\n!!! ${reason}\n`);
  return reason;
}

function isInstalled(file: string): boolean {
  try {
    createRequire(import.meta.url).resolve(file);
    return true;
  } catch {
    return false;
  }
}
