// The pictures of an account whose vectors are nearest to what is looked for, on the scale of the API.
import type { Among, PictureIndex } from './index/picture-index.ts';
import type { Scale, Space } from './providers/ai-provider.ts';

export type FoundPicture = { readonly generation: string; readonly similarity: number };

export type Target = {
  readonly accountId: string;
  readonly vector: Float32Array;
  readonly space: Space;
  readonly scale: Scale;
  /** A picture that is not to be found. */
  readonly except: string | null;
};
export type Bounds = {
  readonly threshold: number;
  readonly limit: number;
  /** Only these; null is all of the account. */
  readonly among: Among | null;
};

/** Similarities are told, and compared with the threshold, to this precision. */
const precision = 1e6;

/** By falling similarity. */
export async function nearestPictures(
  index: PictureIndex,
  { accountId, vector, space, scale, except }: Target,
  { threshold, limit, among }: Bounds,
): Promise<FoundPicture[]> {
  const found = await index.nearest({
    accountId,
    space,
    vector,
    // A little less, because what is compared in the end was rounded.
    minCosine: threshold > 0 ? scale.toCosine(threshold) - 1 / precision : -1,
    limit: limit + (except === null ? 0 : 1),
    among,
  });
  return found
    .filter(({ generation }) => generation !== except)
    .map(({ generation, cosine }) => ({ generation, similarity: rounded(scale.toSimilarity(cosine)) }))
    .filter(({ similarity }) => similarity >= threshold)
    .slice(0, limit);
}

function rounded(similarity: number): number {
  return Math.min(1, Math.max(0, Math.round(similarity * precision) / precision));
}
