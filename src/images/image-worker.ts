// The process in which pictures are decoded, resized and encoded: one task at a time, and expendable. A picture that
// crashes, hangs or swells costs this process, never the server.
import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import sharp from 'sharp';
import { applySteps } from './pipeline.ts';
import {
  UndecodableError,
  allowOnlyOurDecoders,
  decode,
  readHeader,
  refuseUnexpected,
} from './steps/decode.ts';
import { writeVariant } from './variant-file.ts';
import type { RenderAnswer, RenderResult, RenderTask, WorkerMessage } from './worker-protocol.ts';

sharp.concurrency(1);
sharp.cache(false);
allowOnlyOurDecoders();

process.on('message', (task: RenderTask) => void answer(task));
// An ordinary exit would wait for the picture in work.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A signal to the whole group is for the server, which decides when its workers end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
send({ kind: 'ready' });

async function answer(task: RenderTask): Promise<void> {
  const answered = await render(task).then(
    (result): RenderAnswer => ({ kind: 'rendered', result }),
    async (error: unknown): Promise<RenderAnswer> => ({
      kind: await faultOf(error, task),
      reason: String(error),
    }),
  );
  send({ kind: 'answer', answer: answered, rssBytes: process.memoryUsage.rss() });
}

async function render({ inputPath, outputPath, stagingFolder, plan }: RenderTask): Promise<RenderResult> {
  const startedMs = performance.now();
  await access(inputPath);
  const header = await readHeader(inputPath);
  refuseUnexpected(header, plan);
  const pipeline = applySteps(decode(inputPath, plan, header), plan, header);
  const { data, info } = await pipeline.toBuffer({ resolveWithObject: true }).catch((error: unknown) => {
    throw new UndecodableError(String(error), { cause: error });
  });
  const height = info.pageHeight ?? info.height;
  if (info.width !== plan.width || height !== plan.height) {
    throw new Error(`rendered ${info.width}×${height} instead of ${plan.width}×${plan.height}`);
  }
  const sha256 = createHash('sha256').update(data).digest('hex');
  const facts = { width: info.width, height, size: data.length, sha256 };
  await writeVariant(outputPath, data, facts, stagingFolder);
  return { ...facts, ms: Math.round(performance.now() - startedMs) };
}

type Fault = Exclude<RenderAnswer['kind'], 'rendered'>;

async function faultOf(error: unknown, { inputPath }: RenderTask): Promise<Fault> {
  if (error instanceof UndecodableError) {
    // The decoder cannot tell a file that was deleted under its hands from a damaged one.
    return access(inputPath).then(
      () => 'undecodable',
      () => 'missing',
    );
  }
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'missing';
  return code === 'ENOSPC' || code === 'EDQUOT' ? 'disk_full' : 'failed';
}

function send(message: WorkerMessage): void {
  process.send?.(message);
}
