import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createDirectSha256, type Sha256 } from './sha256.ts';
import { ThreadedHashing } from './threaded-sha256.ts';

const megabyte = 1024 * 1024;

async function digestOf(sha256: Sha256, bytes: Buffer, chunkBytes: number): Promise<string> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const hashed = sha256.update(bytes.subarray(at, at + chunkBytes));
    if (hashed) await hashed;
  }
  return sha256.digest();
}

const threaded = new ThreadedHashing();
const ways = { directly: createDirectSha256, 'in a thread': () => threaded.createSha256() };

for (const [way, create] of Object.entries(ways)) {
  describe(`SHA-256 ${way}`, () => {
    for (const [length, chunkBytes] of [
      [0, 1],
      [1, 1],
      [100, 1],
      [100_000, 65_000],
      [128 * 1024 - 1, 64 * 1024],
      [128 * 1024, 64 * 1024],
      [128 * 1024 + 1, 64 * 1024],
      [200_000, 700],
      [5 * megabyte + 3, 65_536],
      [3 * megabyte + 1, 1_000_003],
    ] as const) {
      it(`of ${length} bytes in chunks of ${chunkBytes}`, async () => {
        const bytes = randomBytes(length);
        assert.equal(await digestOf(create(), bytes, chunkBytes), hash('sha256', bytes));
      });
    }

    it('keeps files apart that come at the same time, however many', async () => {
      const files = Array.from({ length: 40 }, () => randomBytes(megabyte));
      const digests = await Promise.all(files.map((bytes) => digestOf(create(), bytes, 50_000)));
      assert.deepEqual(
        digests,
        files.map((bytes) => hash('sha256', bytes)),
      );
    });

    it('goes on when others were given up', async () => {
      const bytes = randomBytes(megabyte);
      for (let i = 0; i < 40; i++) {
        const abandoned = create();
        await abandoned.update(bytes);
        abandoned.discard();
        abandoned.discard();
      }
      assert.equal(await digestOf(create(), bytes, 65_536), hash('sha256', bytes));
    });
  });
}

describe('a hashing thread that dies', () => {
  const dies = 'TINTYPE_TEST_HASHING_DIES';
  const own = new URL('hashing-thread.ts', import.meta.url).href;
  const mortal = `if (process.env.${dies}) throw new Error('It died'); await import('${own}');`;
  const died = { code: 'internal', cause: new Error('It died') };
  before(() => (process.env[dies] = 'yes'));
  after(() => delete process.env[dies]);

  it('fails the hashes it had, and the next file begins with another', async () => {
    const hashing = new ThreadedHashing(new URL(`data:text/javascript,${encodeURIComponent(mortal)}`));
    const bytes = randomBytes(5 * megabyte);
    const small = bytes.subarray(0, 1000);
    const digest = (of: Buffer): Promise<string> => digestOf(hashing.createSha256(), of, 65_536);
    const [first, second, third] = await Promise.allSettled([digest(bytes), digest(bytes), digest(small)]);
    assert.deepEqual(
      [first, second].map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await assert.rejects(digest(bytes), died);
    assert.deepEqual(third, { status: 'fulfilled', value: hash('sha256', small) });
    delete process.env[dies];
    assert.equal(await digest(bytes), hash('sha256', bytes));
  });
});
