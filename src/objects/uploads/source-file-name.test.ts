import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceFileName } from './source-file-name.ts';

const named = (disposition: string | undefined, url = 'https://example.com/a/b.jpg'): string =>
  sourceFileName(disposition, new URL(url));

test('a file is called what its server says', () => {
  assert.equal(named('attachment; filename="sea side.jpg"'), 'sea side.jpg');
  assert.equal(named('inline; filename=sea.jpg'), 'sea.jpg');
  assert.equal(named('attachment; filename="a\\"b.jpg"'), 'a"b.jpg');
  assert.equal(named(`attachment; filename="plain.jpg"; filename*=UTF-8''na%C3%AFve.jpg`), 'naïve.jpg');
  assert.equal(named(Buffer.from('attachment; filename="Füße.jpg"').toString('latin1')), 'Füße.jpg');
  assert.equal(named('attachment; filename="F\u00fc.jpg"'), 'Fü.jpg');
});

test('or as its address ends', () => {
  assert.equal(named(undefined), 'b.jpg');
  assert.equal(named('inline'), 'b.jpg');
  assert.equal(named(`attachment; filename*=UTF-8''%FF`), 'b.jpg');
  assert.equal(named(undefined, 'https://example.com/na%C3%AFve.jpg?x=/y'), 'naïve.jpg');
  assert.equal(named(undefined, 'https://example.com/%ff'), '');
  assert.equal(named(undefined, 'https://example.com/'), '');
});
