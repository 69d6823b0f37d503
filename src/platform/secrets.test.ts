import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createSecretBox, loadSecretKey } from './secrets.ts';

describe('secret box', () => {
  const box = createSecretBox('one key of many');

  test('opens what it sealed, and seals the same text differently each time', () => {
    for (const plain of ['', 'sk-canary', 'ünïcødé \u0000 🎞', 'x'.repeat(100_000)]) {
      const sealed = box.seal(plain);
      assert.equal(box.open(sealed), plain);
      assert.notEqual(sealed, box.seal(plain));
      assert.match(sealed, /^v1\.[A-Za-z0-9_-]+$/);
    }
  });

  test('refuses whatever was changed or sealed by another', () => {
    const sealed = box.seal('canary');
    for (let index = 3; index < sealed.length; index++) {
      // The last character carries unused bits; a change of only those is no change.
      const changed = sealed.slice(0, index) + (sealed[index] === 'A' ? 'Q' : 'A') + sealed.slice(index + 1);
      if (Buffer.from(changed.slice(3), 'base64url').equals(Buffer.from(sealed.slice(3), 'base64url')))
        continue;
      assert.throws(() => box.open(changed));
    }
    for (const text of [
      '',
      'v1.',
      'v2.' + sealed.slice(3),
      sealed.slice(0, 20),
      'canary',
      sealed.slice(0, -4),
    ])
      assert.throws(() => box.open(text));
    assert.throws(() => createSecretBox('another key').open(sealed), /SECRET_KEY/);
  });

  test('the fingerprint tells keys apart and does not hold them', () => {
    assert.match(box.fingerprint, /^[0-9a-f]{16}$/);
    assert.equal(createSecretBox('one key of many').fingerprint, box.fingerprint);
    assert.notEqual(createSecretBox('one key of manz').fingerprint, box.fingerprint);
  });
});

describe('secret key', () => {
  test('is made once, for its owner only, the same for all who start at once', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tintype-secret-'));
    const folder = join(dataDir, 'not', 'there', 'yet');
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadSecretKey({ dataDir: folder })));
    assert.equal(new Set(keys).size, 1);
    assert.ok((keys[0] as string).length >= 43);
    assert.equal(await loadSecretKey({ dataDir: folder }), keys[0]);
    assert.deepEqual(await readdir(folder), ['secret.key']);
    assert.equal((await stat(join(folder, 'secret.key'))).mode & 0o777, 0o600);
    await rm(dataDir, { recursive: true });
  });

  test('a configured one is taken and nothing is written; a damaged file is not replaced', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tintype-secret-'));
    assert.equal(await loadSecretKey({ configured: 'a configured key', dataDir }), 'a configured key');
    assert.deepEqual(await readdir(dataDir), []);
    await writeFile(join(dataDir, 'secret.key'), '');
    await assert.rejects(loadSecretKey({ dataDir }), /damaged/);
    assert.equal(await readFile(join(dataDir, 'secret.key'), 'utf8'), '');
    await rm(dataDir, { recursive: true });
  });
});
