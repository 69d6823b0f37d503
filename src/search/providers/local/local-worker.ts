// The process in which models look at pictures and read questions: one task at a time, and expendable like an image worker.
// Each model is loaded when it is first needed, and stays. Nothing here can reach the network.
import { access } from 'node:fs/promises';
import type { ImageToTextPipeline, RawImage } from '@huggingface/transformers';
import sharp from 'sharp';
import { ownUsage, type WorkerMessage } from '../../../platform/workers/worker-process.ts';
import { captionOf, loadCaptioner } from './captioner.ts';
import type { LocalAnswer, LocalTask, PictureTask } from './local-protocol.ts';
import type { CaptionModel, EmbeddingModel } from './model-files.ts';
import { NoLibraryError, openModelLibrary } from './model-library.ts';
import type { ModelLibrary } from './model-library.ts';
import { createTowers } from './towers.ts';
import type { Towers } from './towers.ts';
import { UnitVectorError, unitVector } from './unit-vector.ts';

sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegFile'] });

const maxPictureSide = 2048;

class UndecodableError extends Error {}
class BrokenModelError extends Error {
  readonly model: string;

  constructor(model: string, cause: unknown) {
    super(String(cause), { cause });
    this.model = model;
  }
}

/** The last ones asked for: an operator has one of each. */
let towers: { readonly of: string; readonly towers: Towers } | null = null;
let captioner: { readonly of: string; readonly captioner: ImageToTextPipeline } | null = null;

process.on('message', (task: LocalTask) => void answer(task));
// An ordinary exit would wait for the picture in work.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A signal to the whole group is for the server, which decides when its workers end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
send({ kind: 'ready', ...ownUsage() });

async function answer(task: LocalTask): Promise<void> {
  send({ kind: 'progress', percent: 0, ...ownUsage() });
  const answered = await perform(task).catch((error: unknown) => faultOf(error, task));
  send({ kind: 'answer', answer: answered, ...ownUsage() });
}

async function perform(task: LocalTask): Promise<LocalAnswer> {
  const library = await openModelLibrary(task.modelsDir);
  const { embedding } = task;
  if (task.kind === 'question') {
    const vector = await blaming(embedding.name, () => towersOf(library, embedding).embedText(task.text));
    return { kind: 'embedded', vector: unitVector(vector), caption: null };
  }
  const picture = await decode(library, task.path);
  const vector = await blaming(embedding.name, () => towersOf(library, embedding).embedPicture(picture));
  return { kind: 'embedded', vector: unitVector(vector), caption: await describe(library, task, picture) };
}

async function describe(
  library: ModelLibrary,
  { caption }: PictureTask,
  picture: RawImage,
): Promise<string | null> {
  if (caption === null) return null;
  return blaming(caption.name, async () => captionOf(await captionerOf(library, caption), picture));
}

function towersOf(library: ModelLibrary, model: EmbeddingModel): Towers {
  const of = JSON.stringify(model);
  if (towers?.of !== of) towers = { of, towers: createTowers(library, model) };
  return towers.towers;
}

async function captionerOf(library: ModelLibrary, model: CaptionModel): Promise<ImageToTextPipeline> {
  const of = JSON.stringify(model);
  if (captioner?.of !== of) {
    captioner = null;
    captioner = { of, captioner: await loadCaptioner(library, model) };
  }
  return captioner.captioner;
}

/** A model that does not load or does not run will not do so for the next picture either. */
async function blaming<T>(model: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // A failed load would otherwise be remembered.
    towers = null;
    throw new BrokenModelError(model, error);
  }
}

async function decode({ RawImage }: ModelLibrary, path: string): Promise<RawImage> {
  await access(path);
  try {
    const { data, info } = await sharp(path, { limitInputPixels: maxPictureSide ** 2, failOn: 'error' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return new RawImage(new Uint8ClampedArray(data), info.width, info.height, 3);
  } catch (error) {
    throw new UndecodableError(String(error), { cause: error });
  }
}

function faultOf(error: unknown, { embedding }: LocalTask): LocalAnswer {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof NoLibraryError) return { kind: 'no_library', reason };
  if (error instanceof UndecodableError) return { kind: 'undecodable', reason };
  if (error instanceof UnitVectorError) return { kind: 'senseless', reason };
  if (error instanceof BrokenModelError) return { kind: 'broken_model', model: error.model, reason };
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'missing_picture', reason };
  return { kind: 'broken_model', model: embedding.name, reason };
}

function send(message: WorkerMessage<LocalAnswer>): void {
  process.send?.(message);
}
