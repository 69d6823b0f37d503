// The process that fetches models from the hub into the folder of models, only where the operator allowed it. It loads each
// once to see that it is whole, and ends: it never sees a picture or a question.
import { isFamily, precisions } from './model-files.ts';
import type { Precision } from './model-files.ts';
import { ownUsage, type WorkerMessage } from '../../../platform/workers/worker-process.ts';
import { loadCaptioner } from './captioner.ts';
import type { DownloadAnswer, DownloadTask, Fetched } from './local-protocol.ts';
import { NoLibraryError, openModelLibrary } from './model-library.ts';
import type { ModelLibrary } from './model-library.ts';
import { loadTower } from './towers.ts';

const saysEveryMs = 1000;
let saidMs = 0;
const options = { progress_callback: stillHere };
const reasons: string[] = [];

class WrongKindError extends Error {}

process.on('message', (task: DownloadTask) => void answer(task));
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
send({ kind: 'ready', ...ownUsage() });

async function answer(task: DownloadTask): Promise<void> {
  const answered = await download(task).catch((error: unknown): DownloadAnswer => {
    if (error instanceof NoLibraryError) return { kind: 'no_library', reason: error.message };
    throw error;
  });
  send({ kind: 'answer', answer: answered, ...ownUsage() });
}

async function download({
  modelsDir,
  hubAddress,
  embeddingModel,
  captionModel,
}: DownloadTask): Promise<DownloadAnswer> {
  const library = await openModelLibrary(modelsDir, hubAddress);
  const embedding = await outcomeOf(() => fetchTowers(library, embeddingModel));
  const caption =
    captionModel === null ? 'there' : await outcomeOf(() => fetchCaptioner(library, captionModel));
  return { kind: 'downloaded', embedding, caption, reason: reasons.join('; ') || null };
}

async function fetchTowers(library: ModelLibrary, name: string): Promise<void> {
  const { model_type: family } = (await library.AutoConfig.from_pretrained(name, options)) as {
    model_type?: unknown;
  };
  if (!isFamily(family)) throw new WrongKindError(`${name} is of the kind ${String(family)}`);
  await library.AutoTokenizer.from_pretrained(name, options);
  await library.AutoProcessor.from_pretrained(name, options);
  for (const tower of ['vision', 'text'] as const)
    await firstOnHub((precision) => loadTower(library, { tower, name, family, precision }, options));
}

async function fetchCaptioner(library: ModelLibrary, name: string): Promise<void> {
  await firstOnHub((precision) =>
    loadCaptioner(library, { name, encoder: precision, decoder: precision }, options),
  );
}

/** Not every model is published in every form. */
async function firstOnHub(load: (precision: Precision) => Promise<Disposing>): Promise<void> {
  let last: unknown;
  for (const precision of precisions) {
    try {
      await (await load(precision)).dispose();
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      last = error;
    }
  }
  throw last;
}

type Disposing = { dispose(): Promise<unknown> };

async function outcomeOf(obtain: () => Promise<void>): Promise<Fetched> {
  try {
    await obtain();
    return 'there';
  } catch (error) {
    reasons.push(error instanceof Error ? error.message : String(error));
    if (error instanceof WrongKindError) return 'wrong_kind';
    return isNotFound(error) ? 'not_on_hub' : 'unreachable';
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'ModelFileNotFoundError';
}

/** Puts off the end of a download that goes on. */
function stillHere(): void {
  if (performance.now() - saidMs < saysEveryMs) return;
  saidMs = performance.now();
  send({ kind: 'progress', percent: 0, ...ownUsage() });
}

function send(message: WorkerMessage<DownloadAnswer>): void {
  process.send?.(message);
}
