// The process in which models look at pictures: one task at a time, and expendable like an image worker. It starts
// without any model; each is loaded when it is first needed, and stays.
import { access } from 'node:fs/promises';
import sharp from 'sharp';
import { ownUsage, type WorkerMessage } from '../../platform/workers/worker-process.ts';
import { UndecodableError, allowOnlyOurDecoders } from '../rendering/steps/decode.ts';
import { detectFaces } from './detect-faces.ts';
import { loadFaceWeights } from './face-weights.ts';
import type { FaceWeights } from './face-weights.ts';
import { loadForegroundModel } from './foreground-model.ts';
import type { ForegroundModel } from './foreground-model.ts';
import { makeMask } from './foreground-mask.ts';
import { UnavailableError } from './unavailable-error.ts';
import type { VisionAnswer, VisionTask } from './vision-protocol.ts';

sharp.concurrency(1);
sharp.cache(false);
allowOnlyOurDecoders();

/** The last one asked for: an operator has one, and two would not fit beside each other. */
let foreground: { readonly path: string | null; readonly model: ForegroundModel } | null = null;
let faceWeights: FaceWeights | null = null;

process.on('message', (task: VisionTask) => void answer(task));
// An ordinary exit would wait for the picture in work.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A signal to the whole group is for the server, which decides when its workers end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
send({ kind: 'ready', ...ownUsage() });

async function answer(task: VisionTask): Promise<void> {
  const answered = await perform(task).catch(async (error: unknown): Promise<VisionAnswer> => ({
    kind: await faultOf(error, task),
    reason: error instanceof Error ? error.message : String(error),
  }));
  send({ kind: 'answer', answer: answered, ...ownUsage() });
}

async function perform(task: VisionTask): Promise<VisionAnswer> {
  const startedMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedMs);
  await access(task.inputPath);
  if (task.kind === 'faces') {
    const faces = await detectFaces(task, async () => (faceWeights ??= await loadFaceWeights()));
    return { kind: 'found', faces, ms: elapsedMs() };
  }
  const mask = await makeMask(task, () => foregroundModel(task.modelPath));
  return { kind: 'masked', ...mask, ms: elapsedMs() };
}

async function foregroundModel(path: string | null): Promise<ForegroundModel> {
  if (foreground?.path !== path) {
    foreground = null;
    foreground = { path, model: await loadForegroundModel(path) };
  }
  return foreground.model;
}

type Fault = Exclude<VisionAnswer['kind'], 'masked' | 'found'>;

async function faultOf(error: unknown, { inputPath }: VisionTask): Promise<Fault> {
  if (error instanceof UnavailableError) return 'unavailable';
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

function send(message: WorkerMessage<VisionAnswer>): void {
  process.send?.(message);
}
