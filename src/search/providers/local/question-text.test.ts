import assert from 'node:assert/strict';
import { test } from 'node:test';
import { questionText } from './question-text.ts';

test('a short question becomes the caption it might have been', () => {
  assert.equal(questionText('clip', ' red  car '), 'a photo of red car');
  assert.equal(questionText('siglip', 'red car'), 'This is a photo of red car.');
});

test('what is a sentence, or names the kind of picture, stays as it is', () => {
  const sentence = 'two dogs run along the beach';
  assert.equal(questionText('clip', sentence), sentence);
  assert.equal(questionText('siglip', 'a Drawing of a cat'), 'a Drawing of a cat');
  assert.equal(questionText('clip', 'iconic tower'), 'a photo of iconic tower');
});
