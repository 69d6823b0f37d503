import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsEncoding } from './accepts-encoding.ts';

test('an encoding is accepted when it is named, or any is, and its weight is not 0', () => {
  for (const [header, expected] of [
    ['br', true],
    ['gzip, deflate, br', true],
    ['gzip;q=0.8,br;q=0.9', true],
    ['BR; Q=1', true],
    ['br;q=0.001', true],
    ['*', true],
    ['gzip;q=0, *;q=0.5', true],
    ['', false],
    ['gzip', false],
    ['br;q=0', false],
    ['br; q=0.000', false],
    ['br;q=0, *', false],
    ['*;q=0', false],
    ['identity;q=1, *;q=0', false],
    ['br;q=much', false],
    ['x-br', false],
    ['br-old', false],
    [',;=, ;q=1', false],
  ] as const)
    assert.equal(acceptsEncoding(header, 'br'), expected, header);
});
