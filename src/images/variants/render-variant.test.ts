import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, truncate } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { LocalFlights } from '../../platform/flights/flights.ts';
import { storedPicture, unshared } from '../../../test/support/stored-pictures.ts';
import { createImageWorkerPool } from '../rendering/image-worker-pool.ts';
import type { ImageWorkerPool } from '../rendering/image-worker-pool.ts';
import { LocalVariantMaker } from './make-variant.ts';
import type { OriginalImage } from './original-image.ts';
import { VariantRenderer } from './render-variant.ts';
import { MemoryVariantBudget } from './variant-budget.ts';
import { Stills } from './stills.ts';
import { VariantStore } from './variant-store.ts';
import {
  factsOf,
  quarters,
  scratchFolder,
  variantTransformation,
} from '../../../test/support/plain-quarters.ts';
import type { Scratch } from '../../../test/support/plain-quarters.ts';

const generation = '0123456789abcdef01234567';
const thumbnail = variantTransformation('h-20_w-20.webp');

suite('variants', { concurrency: false }, () => {
  let scratch: Scratch;
  let pool: ImageWorkerPool;
  let renderer: VariantRenderer;
  let original: OriginalImage;
  let renderings = 0;

  before(async () => {
    scratch = await scratchFolder();
    pool = createImageWorkerPool({
      size: 1,
      maxQueued: 10,
      wallTimeMs: 10_000,
      maxRssBytes: 1 << 30,
      idleMs: 10_000,
    });
    const counting: Pick<ImageWorkerPool, 'render' | 'describe' | 'assertRoom'> = {
      assertRoom: () => pool.assertRoom(),
      describe: (...ask) => pool.describe(...ask),
      render: (...ask) => {
        renderings += 1;
        return pool.render(...ask);
      },
    };
    const store = new VariantStore({
      keptDir: join(scratch.path, 'variants'),
      cacheDir: join(scratch.path, 'cache'),
    });
    const evictor = { added: async () => undefined };
    const shared = unshared({ store, folder: scratch.path });
    const maker = new LocalVariantMaker({
      pool: counting,
      store,
      evictor,
      stills: new Stills({ store, shared, evictor, takeStill: () => assert.fail('no film') }),
      budget: new MemoryVariantBudget(),
      flights: new LocalFlights(),
      tellNodes: null,
      shared,
      vision: { findFaces: async () => null, makeMask: async () => '' },
      mezzanines: true,
    });
    renderer = new VariantRenderer({ store, maker });
    const file = await scratch.save('original', await quarters(60, 40).png().toBuffer());
    original = storedPicture({ generation, facts: await factsOf(file), path: file });
  });
  after(async () => {
    await pool.close();
    await scratch[Symbol.asyncDispose]();
  });

  async function ask(
    text: string,
  ): Promise<{ cached: boolean; path: string; sha256: string; bytes: Buffer }> {
    const { handle, size, ...variant } = await renderer.getVariant(original, variantTransformation(text));
    const { buffer } = await handle.read(Buffer.alloc(size), 0, size, 0);
    await handle.close();
    return { ...variant, bytes: buffer };
  }

  test('rendered once, then found, under a path of ids and hashes', async () => {
    renderings = 0;
    const first = await ask('w-20_h-20_fit-cover.webp');
    const again = await ask('h-20_w-20.webp');
    assert.deepEqual([first.cached, again.cached, renderings], [false, true, 1]);
    assert.deepEqual(again.bytes, first.bytes);
    assert.equal(again.sha256, createHash('sha256').update(again.bytes).digest('hex'));
    const hash = createHash('sha256').update('h-20_w-20.webp').digest('hex').slice(0, 32);
    const path = relative(join(scratch.path, 'cache'), first.path);
    assert.equal(path, `bucket1/01234/56/${generation}/${hash}.webp`);
  });

  test('fifty who ask at once cause one rendering', async () => {
    renderings = 0;
    const asked = await Promise.all(Array.from({ length: 50 }, () => ask('w-21.webp')));
    assert.equal(renderings, 1);
    assert.equal(new Set(asked.map(({ sha256 }) => sha256)).size, 1);
  });

  test('a torn variant is rendered again', async () => {
    const whole = await ask('w-22.webp');
    await truncate(whole.path, 40);
    renderings = 0;
    const again = await ask('w-22.webp');
    assert.equal(renderings, 1);
    assert.deepEqual(again.bytes, whole.bytes);
  });

  test('what is over budget is refused before anything is made', async () => {
    renderings = 0;
    const huge: OriginalImage = { ...original, generation: 'f'.repeat(24) };
    await assert.rejects(renderer.getVariant(huge, variantTransformation('w-8192_h-8192.webp')), {
      status: 400,
    });
    assert.equal(renderings, 0);
    assert.ok(!existsSync(join(scratch.path, 'cache', 'bucket1', 'fffff')));
  });

  test('a failure is told to all who wait, and the next asks anew', async () => {
    const corrupt = await scratch.save('corrupt', Buffer.from('no picture'));
    const broken: OriginalImage = { ...original, generation: 'c'.repeat(24), localPath: async () => corrupt };
    renderings = 0;
    const waiting = [renderer.getVariant(broken, thumbnail), renderer.getVariant(broken, thumbnail)];
    for (const result of await Promise.allSettled(waiting)) {
      assert.equal(result.status === 'rejected' && result.reason.status, 422);
    }
    await assert.rejects(renderer.getVariant(broken, thumbnail), { status: 422 });
    assert.equal(renderings, 2);
  });

  test('removed variants are gone, also those still in work', async () => {
    const folder = join((await ask('w-23.webp')).path, '..');
    await renderer.removeVariants('bucket1', generation);
    assert.ok(!existsSync(folder));

    const removedMeanwhile: OriginalImage = {
      ...original,
      async localPath() {
        await renderer.removeVariants('bucket1', generation);
        return original.localPath();
      },
    };
    await assert.rejects(renderer.getVariant(removedMeanwhile, thumbnail), { status: 404 });
    assert.ok(!existsSync(folder));
    await renderer.removeVariants('bucket1', generation);
    assert.deepEqual(await readdir(join(folder, '..')), []);
  });

  test('nothing but ids becomes a path', async () => {
    for (const bad of [
      { bucketId: '../x' },
      { bucketId: '' },
      { generation: `${generation}/..` },
      { generation: 'A' },
    ]) {
      await assert.rejects(renderer.getVariant({ ...original, ...bad }, thumbnail), /not a/);
    }
  });
});
