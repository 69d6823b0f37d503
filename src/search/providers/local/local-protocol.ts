// What the server says to the two processes that have to do with models, and they to it. Paths travel, never pictures.
import type { CaptionModel, EmbeddingModel } from './model-files.ts';

export type PictureTask = {
  readonly kind: 'picture';
  readonly modelsDir: string;
  readonly path: string;
  readonly embedding: EmbeddingModel;
  /** Null where no caption is wanted. */
  readonly caption: CaptionModel | null;
};

export type QuestionTask = {
  readonly kind: 'question';
  readonly modelsDir: string;
  readonly text: string;
  readonly embedding: EmbeddingModel;
};

export type LocalTask = PictureTask | QuestionTask;

export type LocalAnswer =
  | { readonly kind: 'embedded'; readonly vector: readonly number[]; readonly caption: string | null }
  /** The library for models is not installed. */
  | { readonly kind: 'no_library'; readonly reason: string }
  | { readonly kind: 'broken_model'; readonly model: string; readonly reason: string }
  | { readonly kind: 'senseless'; readonly reason: string }
  | { readonly kind: 'undecodable'; readonly reason: string }
  | { readonly kind: 'missing_picture'; readonly reason: string };

export type DownloadTask = {
  readonly modelsDir: string;
  readonly hubAddress: string;
  readonly embeddingModel: string;
  readonly captionModel: string | null;
};

/** What became of one model. */
export type Fetched = 'there' | 'not_on_hub' | 'wrong_kind' | 'unreachable';

export type DownloadAnswer =
  | {
      readonly kind: 'downloaded';
      readonly embedding: Fetched;
      readonly caption: Fetched;
      readonly reason: string | null;
    }
  | { readonly kind: 'no_library'; readonly reason: string };
