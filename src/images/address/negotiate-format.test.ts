import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientKind, negotiateFormat } from './negotiate-format.ts';

const negotiate = (accept: string | undefined, alpha = false, moves = false): string =>
  negotiateFormat(clientKind(accept), { alpha, moves });

test('the smallest format the client names, else one that everything shows', () => {
  assert.equal(negotiate('image/avif,image/webp,*/*'), 'avif');
  assert.equal(negotiate('image/webp,*/*;q=0.8'), 'webp');
  assert.equal(negotiate('image/avif'), 'avif');
  assert.equal(negotiate('image/avif;q=0,image/webp'), 'webp');
  assert.equal(negotiate('IMAGE/AVIF ; q=0.5'), 'avif');
  assert.equal(negotiate('image/avif;q=0.000', true), 'png');
  assert.equal(negotiate('image/avif;q=high'), 'jpg');
  assert.equal(negotiate(',;,q=1;;'), 'jpg');
  for (const accept of [undefined, '', '*/*', 'image/*', 'image/avifs', 'text/html'])
    assert.deepEqual([negotiate(accept), negotiate(accept, true)], ['jpg', 'png'], accept);
});

test('an animation goes on moving where the client can show it', () => {
  assert.equal(negotiate('image/avif,image/webp', false, true), 'webp');
  assert.equal(negotiate('image/avif', false, true), 'avif');
  assert.equal(negotiate('*/*', false, true), 'jpg');
});
