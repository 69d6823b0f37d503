// What a threshold means for each family, and that no two cosines change places.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictureScales, questionScales } from './calibration.ts';

const scales = {
  'CLIP, questions': questionScales.clip,
  'SigLIP, questions': questionScales.siglip,
  'CLIP, pictures': pictureScales.clip,
  'SigLIP, pictures': pictureScales.siglip,
};

for (const [name, scale] of Object.entries(scales)) {
  test(`${name}: rises strictly from 0 to 1, and back`, () => {
    let last = -Infinity;
    for (let step = -1000; step <= 1000; step += 1) {
      const cosine = step / 1000;
      const similarity = scale.toSimilarity(cosine);
      assert.ok(similarity > last, `${cosine} gives ${similarity} after ${last}`);
      assert.ok(Math.abs(scale.toCosine(similarity) - cosine) < 1e-9);
      last = similarity;
    }
    assert.deepEqual([scale.toSimilarity(-1), scale.toSimilarity(1)], [0, 1]);
    assert.deepEqual([scale.toCosine(0), scale.toCosine(1)], [-1, 1]);
  });

  test(`${name}: what rounding leads beyond the ends stays within`, () => {
    assert.deepEqual([scale.toSimilarity(-1 - 1e-7), scale.toSimilarity(1 + 1e-7)], [0, 1]);
  });
}

test('published pairs come out on the right side of the usual threshold', () => {
  const { clip, siglip } = questionScales;
  const right = [clip.toSimilarity(0.243), clip.toSimilarity(0.25), siglip.toSimilarity(0.097)];
  const wrong = [clip.toSimilarity(0.186), clip.toSimilarity(0.19), siglip.toSimilarity(0.019)];
  assert.ok(right.every((similarity) => similarity >= 0.7));
  assert.ok(wrong.every((similarity) => similarity < 0.5));
});
