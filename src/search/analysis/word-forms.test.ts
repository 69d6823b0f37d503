import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formsOf, inOtherNumbers } from './word-forms.ts';

describe('forms of a word', () => {
  test('a plural has its singular, a singular its plural', () => {
    const pairs: [plural: string, singular: string][] = [
      ['boats', 'boat'],
      ['butterflies', 'butterfly'],
      ['watches', 'watch'],
      ['horses', 'horse'],
      ['boxes', 'box'],
      ['glasses', 'glass'],
      ['buses', 'bus'],
      ['days', 'day'],
    ];
    for (const [plural, singular] of pairs) {
      assert.ok(formsOf(plural).includes(singular), plural);
      assert.ok(formsOf(singular).includes(plural), singular);
      assert.equal(formsOf(plural)[0], plural);
    }
  });

  test('numbers, short words and other scripts have only themselves', () => {
    for (const word of ['2041', 'us', '23a', 'собака', '東京', 'café'])
      assert.deepEqual(formsOf(word), [word]);
  });
});

describe('a question in other numbers', () => {
  test('has every combination but the one that was typed', () => {
    assert.deepEqual(inOtherNumbers(['red', 'boats']), [
      ['reds', 'boats'],
      ['red', 'boat'],
      ['reds', 'boat'],
    ]);
    assert.deepEqual(inOtherNumbers(['2041']), []);
    assert.deepEqual(inOtherNumbers([]), []);
  });

  test('has few of them, however many words there are', () => {
    const words = Array.from({ length: 16 }, (_, at) => `word${String.fromCharCode(97 + at)}`);
    const wordings = inOtherNumbers(words);
    assert.ok(wordings.length <= 7, String(wordings.length));
    for (const wording of wordings) assert.equal(wording.length, words.length);
  });
});
