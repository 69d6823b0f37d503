// From cosines to the scale of the API, for each family of models. CLIP and SigLIP were trained to tell pairs apart, not to
// give figures that mean something by themselves: their cosines between a text and a picture fill a narrow band, at a place
// of its own for each family. So each scale goes through a few points at which it is known what a cosine means.
//
// What the points rest on (published; nothing of it could be checked against the weights while this was written):
// - CLIP multiplies cosines by 100. The documentation of transformers.js shows, for one photo of a football match, 0.24 for
//   the right text and 0.19 for a wrong one; openai/CLIP#405 shows 0.25, 0.22 and 0.19 for a right, a related and a wrong
//   word. LAION took pairs of the web for matching from 0.28 or 0.30 on, by the same model.
// - SigLIP's own probability is sigmoid(scale × cosine + bias), for siglip-base-patch16-224 with 117.33 and -12.93: even odds
//   at a cosine of 0.11. The example in transformers.js, two cats, is then 0.097 for the right text and 0.019 for "2 dogs".
//   Others report probabilities of 0.01 to 0.05 for the right word alone, which are cosines of 0.07 to 0.085.
// - Between two pictures, cosines of unlike ones are commonly told as 0.4 to 0.6, and from 0.9 on as nearly the same.
import type { Scale } from '../ai-provider.ts';
import type { Family } from './model-files.ts';

type Point = readonly [cosine: number, similarity: number];

/** Straight lines between the points, which must rise in both. */
function scaleThrough(points: readonly Point[]): Scale {
  return {
    toSimilarity: (cosine) => along(points, cosine, 0, 1),
    toCosine: (similarity) => along(points, similarity, 1, 0),
  };
}

function along(points: readonly Point[], value: number, from: 0 | 1, to: 0 | 1): number {
  const next = points.findIndex((point) => point[from] >= value);
  // Rounding may lead a little beyond either end.
  const upper = points[next === -1 ? points.length - 1 : next]!;
  const lower = points[next - 1];
  if (lower === undefined) return upper[to];
  const share = (value - lower[from]) / (upper[from] - lower[from]);
  return lower[to] + share * (upper[to] - lower[to]);
}

export const questionScales: Readonly<Record<Family, Scale>> = {
  clip: scaleThrough([
    [-1, 0],
    [0.1, 0.2],
    [0.2, 0.5],
    [0.23, 0.7],
    [0.3, 0.9],
    [1, 1],
  ]),
  siglip: scaleThrough([
    [-1, 0],
    [0, 0.2],
    [0.045, 0.5],
    [0.075, 0.7],
    [0.125, 0.9],
    [1, 1],
  ]),
};

const betweenPictures = scaleThrough([
  [-1, 0],
  [0.4, 0.2],
  [0.6, 0.5],
  [0.72, 0.7],
  [0.88, 0.9],
  [1, 1],
]);

export const pictureScales: Readonly<Record<Family, Scale>> = {
  clip: betweenPictures,
  siglip: betweenPictures,
};
