// The evaluation of search counts rightly, and its library can be told apart as a provider gets it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { createRecogniser, pictureBytes } from '../../bench/support/quality/library-pictures.ts';
import { readLibrary } from '../../bench/support/quality/read-library.ts';
import { readQuestions } from '../../bench/support/quality/read-questions.ts';
import { type Answered, score, similarities } from '../../bench/support/quality/score.ts';

const answered = (right: string[], answers: string[]): Answered => ({
  right: new Set(right),
  answers: answers.map((id, at) => ({ id, similarity: 0.9 - at / 10 })),
});

describe('the score of answers', () => {
  test('tells first, among three, at all, how many of the right ones, and what came along', () => {
    const all = [
      answered(['a'], ['a', 'x']),
      answered(['a', 'b'], ['x', 'a']),
      answered(['a'], ['x', 'y', 'z', 'a']),
      answered(['a'], []),
      answered([], ['x', 'y', 'z']),
      answered([], []),
    ];
    assert.deepEqual(score(all), {
      top1: 25,
      top3: 50,
      found: 75,
      recall: 62.5,
      wrong: 5 / 4,
      toNothing: 1.5,
    });
  });

  test('tells similarities of right answers and of wrong ones', () => {
    const all = [answered(['a'], ['a', 'x', 'y']), answered(['b'], ['x', 'b']), answered([], ['x'])];
    const { right, nearestWrong, wrong } = similarities(all);
    for (const [measured, expected] of [
      [right, (0.9 + 0.8) / 2],
      [nearestWrong, (0.8 + 0.9) / 2],
      [wrong, (0.8 + 0.7 + 0.9) / 3],
    ] as const)
      assert.ok(Math.abs(measured - expected) < 1e-9, `${measured}, expected ${expected}`);
  });
});

describe('the library', () => {
  const library = readLibrary();

  test('has enough pictures and questions, whose answers it has', () => {
    const questions = readQuestions(library);
    assert.ok(library.length >= 100 && questions.length >= 80);
    assert.ok(questions.some(({ right }) => right.size === 0));
    assert.equal(new Set(questions.map(({ words }) => words)).size, questions.length);
    for (const { id, caption } of library)
      assert.ok(caption.split(' ').length <= 80, `the caption of ${id} is longer than the prompt allows`);
  });

  test('is recognised picture by picture in small copies; others are not', async () => {
    const recognise = await createRecogniser(library);
    for (const [index, picture] of library.entries()) {
      const bytes = await pictureBytes(picture, index);
      const copy = sharp(bytes)
        .resize(512, 512, { fit: 'inside', withoutEnlargement: true })
        .jpeg({ quality: 70 });
      assert.equal((await recognise(await copy.toBuffer())).id, picture.id);
    }
    const grey = sharp({ create: { width: 64, height: 64, channels: 3, background: 'grey' } }).jpeg();
    await assert.rejects(recognise(await grey.toBuffer()), /does not have this picture/);
  });
});
