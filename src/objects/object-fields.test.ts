import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../platform/errors.ts';
import {
  checkTags,
  cleanFileName,
  isObjectId,
  parseFolder,
  parseObjectId,
  parseTagList,
} from './object-fields.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      ...Array.from('aZ09._-/\\ ,\t\n\u0000\u007f\u0085\u2028\ufeff\u00a0é漢😀'),
      '\ud800',
      '\udc00',
    ),
  }),
);

/** What came out, or the fault; anything but a fault of the client escapes. */
function outcome<T>(work: () => T): T | AppError {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError && error.status === 400) return error;
    throw error;
  }
}

describe('object ids', () => {
  test('good ones are taken as they are', () => {
    for (const id of [
      'a',
      'Z',
      '0',
      'cat.jpg',
      'a_b-c.d',
      'vid-1',
      'Tags',
      'bulk2',
      'a..b',
      'x'.repeat(128),
    ]) {
      assert.equal(parseObjectId(id), id);
      assert.ok(isObjectId(id));
    }
  });

  test('none given is none', () => {
    assert.equal(parseObjectId(undefined), null);
    assert.equal(parseObjectId(''), null);
  });

  test('bad ones are refused in the words of the contract', () => {
    for (const id of [
      'tags',
      'search',
      'bulk',
      '.a',
      '-a',
      '_a',
      '..',
      'a/b',
      'a\\b',
      'a b',
      ' a',
      'a ',
      'a\n',
      'a\u0000',
      'ä',
      'а',
      '%61',
      'a+b',
      'x'.repeat(129),
    ]) {
      assert.throws(() => parseObjectId(id), { code: 'invalid_object_id', message: 'Invalid object id' }, id);
      assert.ok(!isObjectId(id));
    }
  });
});

describe('tags', () => {
  test('are split, trimmed, and freed of empty ones and duplicates; order and case stay', () => {
    for (const [text, tags] of [
      [undefined, []],
      ['', []],
      [' , ,', []],
      ['b,a', ['b', 'a']],
      [' b , a,b,,A ', ['b', 'a', 'A']],
      ['two words', ['two words']],
      ['größe,漢字,😀', ['größe', '漢字', '😀']],
      ['-,.,%,"', ['-', '.', '%', '"']],
    ] as const)
      assert.deepEqual(parseTagList(text), tags, text);
  });

  test('at most 100, each at most 100 characters, whatever these take in bytes', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `t${index}`);
    assert.deepEqual(checkTags(hundred), hundred);
    assert.deepEqual(checkTags([...hundred, 't0', ' t1 ', '']), hundred);
    assert.throws(() => checkTags([...hundred, 'more']), /at most 100 tags/);
    assert.deepEqual(checkTags(['😀'.repeat(100)]), ['😀'.repeat(100)]);
    assert.throws(() => checkTags(['x'.repeat(101)]), /at most 100 characters/);
    assert.throws(() => checkTags(['😀'.repeat(101)]), /at most 100 characters/);
  });

  test('without commas, control characters and halves of characters', () => {
    assert.throws(() => checkTags(['a,b']), /cannot contain a comma/);
    for (const bad of ['a\u0000b', 'a\nb', 'a\tb', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a\ud800', '\udc00b'])
      assert.throws(() => checkTags([bad]), /control characters/, JSON.stringify(bad));
  });

  test('what was accepted is accepted again, unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyText), (given) => {
        const tags = outcome(() => checkTags(given));
        if (tags instanceof AppError) return;
        assert.deepEqual(checkTags(tags), tags);
        assert.deepEqual(parseTagList(tags.join(',')), tags);
        assert.equal(new Set(tags).size, tags.length);
      }),
      { numRuns: 500 },
    );
  });
});

describe('folders', () => {
  test('lose their outer slashes; empty is none', () => {
    for (const [text, folder] of [
      [undefined, null],
      [null, null],
      ['', null],
      ['/', null],
      ['///', null],
      ['a', 'a'],
      ['/a/b/', 'a/b'],
      ['//a//', 'a'],
      ['a.b/..c/d..', 'a.b/..c/d..'],
      ['größe/漢字 😀', 'größe/漢字 😀'],
      ['x'.repeat(512), 'x'.repeat(512)],
      [`/${'😀'.repeat(512)}/`, '😀'.repeat(512)],
    ] as const)
      assert.equal(parseFolder(text), folder);
  });

  test('without dots as parts, control characters, halves of characters, and not too long', () => {
    for (const bad of ['.', '..', 'a/..', '../a', 'a/./b', '/../', 'a/../../b'])
      assert.throws(() => parseFolder(bad), /"\." or "\.\."/, bad);
    for (const bad of ['a\u0000', 'a\nb', '\u007f', '\ud800'])
      assert.throws(() => parseFolder(bad), /control characters/);
    assert.throws(() => parseFolder('x'.repeat(513)), /at most 512 characters/);
  });

  test('what was accepted is accepted again, unchanged', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const folder = outcome(() => parseFolder(given));
        if (!(folder instanceof AppError)) assert.equal(parseFolder(folder), folder);
      }),
      { numRuns: 500 },
    );
  });
});

describe('file names', () => {
  test('are the last part of a path, without what cannot be seen', () => {
    for (const [given, name] of [
      [undefined, 'file'],
      ['', 'file'],
      ['cat.jpg', 'cat.jpg'],
      ['/home/me/cat.jpg', 'cat.jpg'],
      ['C:\\pictures\\cat.jpg', 'cat.jpg'],
      ['../../etc/passwd', 'passwd'],
      ['a/', 'file'],
      [' cat .jpg ', 'cat .jpg'],
      ['c\u0000a\nt\u2028.jpg', 'cat.jpg'],
      ['\u0000', 'file'],
      ['katze größe 漢字 😀.jpg', 'katze größe 漢字 😀.jpg'],
      ['a\ud800.jpg', 'a\ufffd.jpg'],
      ['x'.repeat(300), 'x'.repeat(255)],
      ['é'.repeat(200), 'é'.repeat(127)],
      ['😀'.repeat(100), '😀'.repeat(63)],
    ] as const)
      assert.equal(cleanFileName(given), name);
  });

  test('any text gives a name: not empty, at most 255 bytes, well formed, one line, no path', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.array(anyText, { minLength: 30 }).map((parts) => parts.join('')),
        ),
        (given) => {
          const name = cleanFileName(given);
          assert.ok(name !== '' && Buffer.byteLength(name) <= 255);
          assert.ok(name.isWellFormed());
          assert.doesNotMatch(name, /[/\\\p{Cc}\u2028\u2029]/u);
          assert.equal(cleanFileName(name), name);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
