// Captions and vectors from any server that speaks the OpenAI API: pictures are described in words, and the words compared.
import type { Audience } from '../../../platform/egress/call-out.ts';
import { type AiProvider, plainScale } from '../ai-provider.ts';
import { askCaption } from './ask-caption.ts';
import { askVector } from './ask-vector.ts';
import type { Patience } from './with-one-more-try.ts';

export type OpenAiOptions = {
  /** With its version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly captionModel: string;
  readonly embeddingModel: string;
  /** As asked for; vectors of another length are taken only when no others of the account would become strangers. */
  readonly dimensions: number;
  /** Who chose the address. */
  readonly audience: Audience;
  /** Lengths of the vectors the account already has of this model. */
  readonly knownDimensions: () => Promise<number[]>;
  readonly patience?: Partial<ProviderPatience>;
};

export type ProviderPatience = {
  readonly captionMs: number;
  readonly captionVector: Patience;
  readonly question: Patience;
};

const usualPatience: ProviderPatience = {
  captionMs: 60_000,
  // Worth some waiting, because the caption has been paid for.
  captionVector: { deadlineMs: 60_000, leastLeftMs: 40_000 },
  // Somebody is waiting.
  question: { deadlineMs: 8000, leastLeftMs: 3000 },
};

/** Names the space of its vectors. */
export function openAiModel(options: Pick<OpenAiOptions, 'embeddingModel' | 'dimensions'>): string {
  return `openai/${options.embeddingModel}@${options.dimensions}`;
}

export function createOpenAiProvider(options: OpenAiOptions): AiProvider {
  const { baseUrl, apiKey, captionModel, audience } = options;
  const server = { baseUrl, apiKey, audience };
  const patience = { ...usualPatience, ...options.patience };
  return {
    model: openAiModel(options),
    captionModel: `openai/${captionModel}`,
    questionScale: plainScale,
    pictureScale: plainScale,
    async analyse({ path, sizeBytes, caption: known, captioned }, signal) {
      const caption = known?.trim()
        ? known
        : await askCaption(server, {
            path,
            sizeBytes,
            model: captionModel,
            deadlineMs: patience.captionMs,
            signal,
          });
      if (caption !== known) captioned?.(caption);
      const words = { input: caption, patience: patience.captionVector, signal };
      return { caption, vector: await askVector(server, options, words) };
    },
    embed: (question, signal) =>
      askVector(server, options, { input: question.toWellFormed(), patience: patience.question, signal }),
  };
}
