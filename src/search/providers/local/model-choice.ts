// Which models pictures and questions are given to: those in the folder of models. What is missing begins to be fetched, where
// that is allowed.
import { badName, downloading, notDownloaded, notUsable } from './local-faults.ts';
import { createModelDownloads } from './model-downloads.ts';
import type { DownloadLog, ModelDownloads } from './model-downloads.ts';
import { findCaptionModel, findEmbeddingModel, isModelName } from './model-files.ts';
import type { CaptionModel, EmbeddingModel } from './model-files.ts';

export type ModelChoiceOptions = {
  readonly modelsDir: string;
  readonly download: boolean;
  readonly embeddingModel: string;
  readonly captionModel: string | null;
  readonly hubAddress: string;
  readonly maxRssBytes: number;
  readonly log: DownloadLog | undefined;
};

/** Both throw a ProviderFault. */
export type ModelChoice = {
  embedding(): Promise<EmbeddingModel>;
  /** Null where there are no captions. */
  caption(): Promise<CaptionModel | null>;
  close(): Promise<void>;
};

export function createModelChoice({
  modelsDir,
  download,
  embeddingModel,
  captionModel,
  ...options
}: ModelChoiceOptions): ModelChoice {
  const names = { embeddingModel, captionModel };
  const downloads: ModelDownloads | null = download
    ? createModelDownloads({ ...names, modelsDir, ...options })
    : null;
  return {
    async embedding(): Promise<EmbeddingModel> {
      if (!isModelName(embeddingModel)) throw badName('LOCAL_EMBEDDING_MODEL');
      const found = await findEmbeddingModel(modelsDir, embeddingModel);
      if (!('missing' in found)) {
        if ('unknownKind' in found) throw notUsable(embeddingModel, found);
        return found;
      }
      const asked = downloads?.request();
      if (asked === undefined) throw notUsable(embeddingModel, found);
      throw asked === 'running' ? downloading() : notDownloaded(embeddingModel, asked.embedding);
    },
    async caption(): Promise<CaptionModel | null> {
      if (captionModel === null) return null;
      if (!isModelName(captionModel)) throw badName('LOCAL_CAPTION_MODEL');
      const found = await findCaptionModel(modelsDir, captionModel);
      if ('name' in found) return found;
      // A picture that is analysed without a caption stays without: it is worth the wait, if there is one.
      if (downloads?.request() === 'running') throw downloading();
      return null;
    },
    async close(): Promise<void> {
      await downloads?.close();
    },
  };
}
