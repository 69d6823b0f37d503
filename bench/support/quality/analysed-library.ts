// A service with the whole library uploaded and analysed, as an application would do it over HTTP; and how it is asked.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startBare } from '../bare-process.ts';
import { type Service, startService } from '../service.ts';
import { pictureBytes } from './library-pictures.ts';
import { models } from './models.ts';
import type { DescribedPicture } from './read-library.ts';
import type { Answer } from './score.ts';

const analysedWithinMs = 90_000;

export type AnalysedLibrary = {
  /** Parameters of `/get/search`. */
  ask(parameters: Record<string, string>): Promise<Answer[]>;
} & AsyncDisposable;

export async function startAnalysedLibrary(
  dataDir: string,
  library: readonly DescribedPicture[],
): Promise<AnalysedLibrary> {
  await using started = new AsyncDisposableStack();
  const server = started.use(await startBare(join(import.meta.dirname, 'embedding-server.ts'), []));
  const environment = {
    OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1`,
    OPENAI_CAPTION_MODEL: models.captionModel,
    OPENAI_EMBEDDING_MODEL: models.embeddingModel,
    OPENAI_EMBEDDING_DIMENSIONS: '512',
  };
  const service = started.use(await startService({ dataDir, environment }));
  await callJson(service, '/user/', {
    method: 'PATCH',
    body: JSON.stringify({ ai_analysis: true, openai_api_key: 'any' }),
    headers: { 'Content-Type': 'application/json' },
  });
  for (const [index, picture] of library.entries()) await upload(service, picture, index);
  await untilAnalysed(service, library.length);
  const all = started.move();
  return { ask: (parameters) => ask(service, parameters), [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function upload(service: Service, picture: DescribedPicture, index: number): Promise<void> {
  const form = new FormData();
  form.append('object', picture.id);
  form.append('tags', picture.tags.join(','));
  form.append('file', new Blob([new Uint8Array(await pictureBytes(picture, index))]), picture.fileName);
  await callJson(service, '/upload/', { method: 'POST', body: form });
}

type Progress = { analysed: number; failed: number; ai_error: string | null };

async function untilAnalysed(service: Service, count: number): Promise<void> {
  const givesUpAt = performance.now() + analysedWithinMs;
  while (performance.now() < givesUpAt) {
    const progress = await callJson<Progress>(service, '/analysis/');
    if (progress.analysed === count) return;
    if (progress.failed > 0 || progress.ai_error !== null)
      throw new Error(`The analysis failed: ${JSON.stringify(progress)}`);
    await delay(100);
  }
  throw new Error(`The library was not analysed within ${analysedWithinMs / 1000} s`);
}

async function ask(service: Service, parameters: Record<string, string>): Promise<Answer[]> {
  const query = new URLSearchParams(parameters).toString();
  type Found = { objects: string[]; similarities: number[] };
  const found = await callJson<Found>(service, `/get/search?${query}`);
  return found.objects.map((url, at) => ({
    id: new URL(url).pathname.split('/').at(-2) as string,
    similarity: found.similarities[at] as number,
  }));
}

async function callJson<Body>(service: Service, path: string, init?: RequestInit): Promise<Body> {
  const response = await service.call(path, init);
  if (response.status !== 200)
    throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}
