// Turns words into a vector. Not every server shortens vectors as it is asked to: some ignore the wish, others refuse it.
import { Lru } from '../../../lib/lru.ts';
import { ProviderFault } from '../ai-provider.ts';
import { callOpenAi, jsonIn, type Outcome, type Server } from './openai-call.ts';
import { readVector } from './read-vector.ts';
import { refusesDimensions } from './refusal.ts';
import { type Patience, withOneMoreTry } from './with-one-more-try.ts';

export type EmbeddingSettings = {
  readonly embeddingModel: string;
  readonly dimensions: number;
  /** Lengths of the vectors the account already has of this model. */
  readonly knownDimensions: () => Promise<number[]>;
};
export type Words = { readonly input: string; readonly patience: Patience; readonly signal: AbortSignal };

/** With the dimensions: a model may take 512 and refuse 4096. Bounded, because accounts choose addresses. */
const refusers = new Lru<string, true>(1000);

export async function askVector(
  server: Server,
  settings: EmbeddingSettings,
  { input, patience, signal }: Words,
): Promise<Float32Array> {
  const { embeddingModel: model } = settings;
  const vector = await withOneMoreTry(patience, signal, async (leftMs) => {
    const endsAt = performance.now() + leftMs;
    const ask = (more: object): Promise<Outcome> =>
      callOpenAi(server, {
        path: '/embeddings',
        purpose: 'vector',
        model,
        body: { model, input, encoding_format: 'float', ...more },
        deadlineMs: Math.max(1, Math.round(endsAt - performance.now())),
        signal,
      });
    return readVector(await askAsItTakes(server, settings, ask));
  });
  await assertFits(vector.length, settings);
  return vector;
}

/** With the number of dimensions, or without where the server refuses it. */
async function askAsItTakes(
  { baseUrl }: Server,
  { embeddingModel, dimensions }: EmbeddingSettings,
  ask: (more: object) => Promise<Outcome>,
): Promise<unknown> {
  const name = JSON.stringify([baseUrl, embeddingModel, dimensions]);
  if (!refusers.get(name)) {
    const outcome = await ask({ dimensions });
    if (!('refusal' in outcome) || !refusesDimensions(outcome.refusal)) return jsonIn(outcome);
  }
  const json = jsonIn(await ask({}));
  refusers.set(name, true);
  return json;
}

async function assertFits(length: number, { dimensions, knownDimensions }: EmbeddingSettings): Promise<void> {
  if (length === dimensions) return;
  const known = await knownDimensions();
  if (known.length === 0 || known.includes(length)) return;
  throw new ProviderFault(
    'answer',
    `The AI provider answers vectors of ${length} numbers instead of ${dimensions}; set OPENAI_EMBEDDING_DIMENSIONS, ` +
      `or openai_embedding_dimensions in the account settings, to ${length}`,
  );
}
