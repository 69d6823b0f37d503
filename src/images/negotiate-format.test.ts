import assert from 'node:assert/strict';
import { test } from 'node:test';
import { negotiateFormat } from './negotiate-format.ts';

const cases: readonly [accept: string | undefined, alpha: boolean, format: string][] = [
  ['image/avif,image/webp,image/apng,image/*,*/*;q=0.8', false, 'avif'],
  ['image/webp,*/*', true, 'webp'],
  ['IMAGE/AVIF ; q=0.5', false, 'avif'],
  ['image/avif;q=0, image/webp;q=0.1', false, 'webp'],
  ['image/avif;q=0.000', true, 'png'],
  ['image/avif;q=high', false, 'jpg'],
  ['image/*', false, 'jpg'],
  ['*/*', true, 'png'],
  ['', false, 'jpg'],
  [undefined, true, 'png'],
  [',;,q=1;;', false, 'jpg'],
];
for (const [accept, alpha, format] of cases) {
  test(`${accept} with${alpha ? '' : 'out'} alpha: ${format}`, () =>
    assert.equal(negotiateFormat(accept, alpha), format));
}
