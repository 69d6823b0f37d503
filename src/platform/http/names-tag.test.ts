import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesTag } from './names-tag.ts';

test('If-None-Match names a tag alone, weak, in a list, or any', () => {
  for (const [header, expected] of [
    [undefined, false],
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", "abc"', true],
    ['"x",W/"abc" , "y"', true],
    ['*', true],
    [' * ', true],
    ['', false],
    ['abc', false],
    ['"ABC"', false],
    ['"abcd"', false],
    ['w/"abc"', false],
    ['"x", "y"', false],
  ] as const)
    assert.equal(namesTag(header, '"abc"'), expected, header);
});
