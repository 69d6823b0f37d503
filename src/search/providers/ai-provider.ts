// Who says what is on a picture and turns words into vectors: a server elsewhere that speaks the OpenAI API, or models on
// this machine. One interface for both, so that analysis and search do not know which it is.

import type { Account } from '../../accounts/tables.ts';

/** Vectors can be compared only with those of the same model and dimension. */
export type Space = {
  /** Provider, model and the dimension that was asked for, such as `openai/text-embedding-3-small@512`. */
  readonly model: string;
  /** As the vectors really are: not every server shortens them as asked. */
  readonly dimensions: number;
};

export type PictureToAnalyse = {
  /** A JPEG of at most 512 pixels on the longer side, still and without transparency: never the original. */
  readonly path: string;
  /** Of the JPEG; the file may go on behind it. */
  readonly sizeBytes: number;
  /** From an earlier analysis; where there is one, it is used again. */
  readonly caption: string | null;
  /** Told of a new caption at once: should its vector fail, it need not be paid for again. */
  readonly captioned?: (caption: string) => void;
};

export type Analysed = {
  /** Null where the provider finds pictures without words. */
  readonly caption: string | null;
  /** Of length one. */
  readonly vector: Float32Array;
};

/** How alike two vectors are, on the scale of the API from 0 to 1: rises with the cosine. */
export type Scale = {
  toSimilarity(cosine: number): number;
  /** The least cosine with at least that similarity. */
  toCosine(similarity: number): number;
};

export interface AiProvider {
  /** The model's part of the space. */
  readonly model: string;
  /** Whose captions these are; null where there are none. */
  readonly captionModel: string | null;
  /** Between a question and a picture. */
  readonly questionScale: Scale;
  /** Between two pictures. */
  readonly pictureScale: Scale;
  /** Throws a ProviderFault. */
  analyse(picture: PictureToAnalyse, signal: AbortSignal): Promise<Analysed>;
  /** A question as a vector of length one. Throws a ProviderFault. */
  embed(question: string, signal: AbortSignal): Promise<Float32Array>;
}

/**
 * settings: the key is refused, the model unknown, the address wrong: nothing will work before somebody changes that.
 * busy: too many calls, or no credit; to be asked again later.
 * unavailable: it does not answer, not in time, or with an error of its own.
 * answer: what it answers makes no sense.
 * picture: it does not take this picture.
 */
export type FaultKind = 'settings' | 'busy' | 'unavailable' | 'answer' | 'picture';

/** The message is for the owner of the account, and names neither the key nor what was sent. */
export class ProviderFault extends Error {
  readonly kind: FaultKind;
  /** As the provider said. */
  readonly retryAfterMs: number | null;

  constructor(kind: FaultKind, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.name = 'ProviderFault';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The provider of an account, as its settings and the operator's have it. */
export type AiProviders = {
  /** What its pictures must have a vector of, whether or not it can be had at present. */
  modelOf(account: Account): string;
  /** Null while it has no key. */
  of(account: Account): AiProvider | null;
};

/** For models of text: what they call "about this", a cosine of 0.4, is 0.7. */
export const plainScale: Scale = {
  toSimilarity: (cosine) => (1 + cosine) / 2,
  toCosine: (similarity) => 2 * similarity - 1,
};
