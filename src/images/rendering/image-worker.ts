// The process in which pictures are decoded, resized and encoded: one task at a time, and expendable. A picture that
// crashes, hangs or swells costs this process, never the server.
import { accessSync, existsSync } from 'node:fs';
import sharp from 'sharp';
import { AppError } from '../../platform/errors.ts';
import { ownUsage, type WorkerMessage } from '../../platform/workers/worker-process.ts';
import { describePicture } from './describe-picture.ts';
import { renderPicture } from './render-picture.ts';
import { UndecodableError, allowOnlyOurDecoders } from './steps/decode.ts';
import type { ImageAnswer, ImageTask } from './worker-protocol.ts';

sharp.concurrency(1);
sharp.cache(false);
allowOnlyOurDecoders();

process.on('message', (task: ImageTask) => void answer(task));
// An ordinary exit would wait for the picture in work.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A signal to the whole group is for the server, which decides when its workers end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
send({ kind: 'ready', ...ownUsage() });

async function answer(task: ImageTask): Promise<void> {
  const answered = await run(task).catch((error: unknown): ImageAnswer =>
    error instanceof AppError
      ? { kind: 'refused', code: error.code, reason: error.message }
      : { kind: faultOf(error, task), reason: String(error) },
  );
  send({ kind: 'answer', answer: answered, ...ownUsage() });
}

async function run(task: ImageTask): Promise<ImageAnswer> {
  for (const path of filesOf(task)) accessSync(path);
  return task.kind === 'render'
    ? { kind: 'rendered', result: await renderPicture(task) }
    : { kind: 'described', description: await describePicture(task) };
}

function faultOf(error: unknown, task: ImageTask): 'undecodable' | 'missing' | 'disk_full' | 'failed' {
  if (error instanceof UndecodableError) {
    // The decoder cannot tell a file that was deleted under its hands from a damaged one.
    return filesOf(task).every((path) => existsSync(path)) ? 'undecodable' : 'missing';
  }
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'missing';
  return code === 'ENOSPC' || code === 'EDQUOT' ? 'disk_full' : 'failed';
}

function filesOf(task: ImageTask): string[] {
  if (task.kind === 'describe') return [task.inputPath];
  return [task.inputPath, task.markPath, task.maskPath].filter((path) => path !== undefined);
}

function send(message: WorkerMessage<ImageAnswer>): void {
  process.send?.(message);
}
