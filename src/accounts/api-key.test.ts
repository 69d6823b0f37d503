import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { generateApiKey, hashApiKey, keyIdOf, sameHash } from './api-key.ts';

describe('API keys', () => {
  test('have one form and never repeat', () => {
    const keys = Array.from({ length: 2000 }, () => generateApiKey());
    for (const key of keys) assert.match(key, /^tt_[0-9A-Za-z]{50}$/);
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(new Set(keys.map(keyIdOf)).size, keys.length);
  });

  test('carry their key id, which stays when a new secret is made for it', () => {
    const key = generateApiKey();
    const rotated = generateApiKey(keyIdOf(key));
    assert.equal(keyIdOf(rotated), keyIdOf(key));
    assert.notEqual(rotated, key);
    assert.ok(key.startsWith(`tt_${keyIdOf(key)}`));
  });

  test('use every letter and digit about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2000; i++)
      for (const letter of generateApiKey().slice(3, 47)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    assert.equal(counts.size, 62);
    const expected = (2000 * 44) / 62;
    for (const count of counts.values()) assert.ok(Math.abs(count - expected) < expected / 4);
  });

  test('a typo is not taken for the key: its id is another', () => {
    const key = generateApiKey();
    for (let index = 3; index < key.length; index++) {
      const typo = key.slice(0, index) + (key[index] === 'x' ? 'y' : 'x') + key.slice(index + 1);
      assert.notEqual(keyIdOf(typo), keyIdOf(key));
      assert.notEqual(keyIdOf(typo), typo.slice(3, 15));
    }
  });

  test('any other text has an id in the same form, always the same, that is no part of its hash', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 0, maxLength: 300 }), (text) => {
        const keyId = keyIdOf(text);
        assert.match(keyId, /^[0-9A-Za-z]{12}$/);
        assert.equal(keyIdOf(text), keyId);
        assert.ok(!hashApiKey(text).includes(keyId));
      }),
    );
    assert.notEqual(keyIdOf('an operator’s own key 1'), keyIdOf('an operator’s own key 2'));
  });

  test('hashes are compared whole', () => {
    const hash = hashApiKey('a');
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.ok(sameHash(hash, hashApiKey('a')));
    assert.ok(!sameHash(hash, hashApiKey('b')));
    assert.ok(!sameHash(hash, ''));
    assert.ok(!sameHash(hash, hash.slice(0, 63)));
  });
});
