import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shareOfWords, wordsOf, wordsOfQuestion } from './picture-words.ts';

describe('words', () => {
  test('of a picture: its tags, its file’s name and its caption', () => {
    const text = wordsOf({
      tags: '["sea","golden hour"]',
      original_file_name: 'IMG_1.jpg',
      caption: 'A boat.',
    });
    assert.deepEqual(text.split('\n'), ['sea', 'golden hour', 'IMG_1.jpg', 'A boat.']);
    assert.equal(wordsOf({ tags: '[]', original_file_name: 'x.png', caption: null }).trim(), 'x.png');
  });

  test('of a question: those that tell something, each once', () => {
    const cases: [string, string[]][] = [
      ['a red bicycle leaning on the red wall', ['red', 'bicycle', 'leaning', 'wall']],
      ['Photo of the SEA', ['sea']],
      ['pictures of horses', ['horses']],
      ['the', []],
      ['?!… — "', []],
      ['IMG_1234.jpg', ['img', '1234', 'jpg']],
      ['café 東京 собака', ['café', '東京', 'собака']],
      ['"red" NEAR(wall*) OR tags:x', ['red', 'near', 'wall', 'tags', 'x']],
      ['x'.repeat(65), []],
    ];
    for (const [question, words] of cases) assert.deepEqual(wordsOfQuestion(question), words, question);
    assert.equal(wordsOfQuestion(Array.from({ length: 50 }, (_, i) => `w${i}`).join(' ')).length, 16);
  });

  test('of a question that a text has: singular or plural, with or without accents, never parts of words', () => {
    const text = 'cafe\nIMG_2041.jpg\nTwo boats in front of a Café.';
    const cases: [string[], number][] = [
      [['boat'], 1],
      [['boats', 'café', '2041'], 1],
      [['boat', 'sunset'], 0.5],
      [['boa', 'front'], 0.5],
      [['sunset'], 0],
      [[], 0],
    ];
    for (const [words, share] of cases) assert.equal(shareOfWords(words, text), share, words.join(' '));
  });
});
