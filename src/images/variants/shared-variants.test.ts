// Variants in a store that nodes share: found, sent once, not left behind, and no trouble when the store has some.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Storage } from '../../platform/storage/storage.ts';
import { assertStorageKey } from '../../platform/storage/storage-key.ts';
import { parseObjectKey } from '../../objects/object-keys.ts';
import { type Scratch, scratchFolder } from '../../../test/support/plain-quarters.ts';
import { keysIn, openTempStores } from '../../../test/support/temp-stores.ts';
import { PublishQueue } from './publish-queue.ts';
import { SharedVariants } from './shared-variants.ts';
import { writeVariant } from './variant-file.ts';
import { variantKey } from './variant-path.ts';
import { VariantStore } from './variant-store.ts';

let scratch: Scratch;
before(async () => {
  scratch = await scratchFolder();
});
after(() => scratch[Symbol.asyncDispose]());

const picture = { backend: 'files', bucketId: '0123456789abcdef', generation: '0'.repeat(24) } as const;

type Fault = Partial<Pick<Storage, 'get' | 'put'>>;

/** A node with a disk of its own; what a faulty store does instead may be said. */
function openNode(name: string, { fault = {}, stored = true }: { fault?: Fault; stored?: boolean } = {}) {
  const stores = openTempStores(join(scratch.path, 'stores'));
  const warnings: string[] = [];
  const store = new VariantStore({
    keptDir: join(scratch.path, name, 'kept'),
    cacheDir: join(scratch.path, name, 'cache'),
  });
  const shared = new SharedVariants({
    sharing: { database: true, stores: new Set(['files']) },
    stores: { ...stores, files: { ...stores.files, ...fault } },
    store,
    evictor: { added: async () => undefined },
    isStored: async () => stored,
    log: { warn: (_fields: object, message?: string) => void warnings.push(String(message)) },
  });
  const make = async (fileName: string, kept = false): Promise<void> => {
    const path = store.pathOf(picture, fileName, kept);
    await store.makeFolder(path);
    const image = Buffer.from(`picture ${fileName}`);
    const sha256 = createHash('sha256').update(image).digest('hex');
    await writeVariant(path, image, { width: 1, height: 1, size: image.length, sha256 });
  };
  return { shared, store, stores, warnings, make };
}

test('what one node has sent another fetches to its own disk; all keys are apart from those of objects', async () => {
  const [one, other] = [openNode('a'), openNode('b')];
  await one.make('x.webp');
  await one.make('k.webp', true);
  await one.shared.publish(picture, 'x.webp');
  await one.shared.publish(picture, 'k.webp', { kept: true });
  for (const name of ['x.webp', 'k.webp']) {
    assert.equal(await other.shared.bring(picture, name), true);
    const [from, to] = [
      one.store.pathOf(picture, name, name === 'k.webp'),
      other.store.pathOf(picture, name, false),
    ];
    assert.deepEqual(await readFile(to), await readFile(from));
  }
  assert.equal(await other.shared.bring(picture, 'nowhere.webp'), false);
  const keys = await keysIn(one.stores.files);
  assert.deepEqual(keys, [variantKey(picture, 'x.webp', false), variantKey(picture, 'k.webp', true)]);
  for (const key of keys) {
    assertStorageKey(key);
    assert.equal(parseObjectKey(key), null);
  }
  await other.shared.remove(picture);
  assert.deepEqual(await keysIn(one.stores.files), []);
});

test('of a store that only this node sees nothing is asked, and nothing sent there', async () => {
  const { shared, stores, make } = openNode('c');
  await make('y.webp');
  await shared.publish({ ...picture, backend: 'storage' }, 'y.webp');
  assert.equal(await shared.bring({ ...picture, backend: 'storage' }, 'y.webp'), false);
  assert.deepEqual(await keysIn(stores.storage), []);
});

test('sent after its object was deleted, it does not stay', async () => {
  const { shared, stores, make } = openNode('d', { stored: false });
  await make('late.webp');
  await shared.publish(picture, 'late.webp');
  assert.deepEqual(await keysIn(stores.files), []);
});

test('what is not whole is not taken', async () => {
  const { shared, store, stores, make } = openNode('e');
  await make('whole.webp');
  const whole = await readFile(store.pathOf(picture, 'whole.webp', false));
  await stores.files.put(variantKey(picture, 'cut.webp', false), whole.subarray(3));
  assert.equal(await shared.bring(picture, 'cut.webp'), false);
  assert.equal(existsSync(store.pathOf(picture, 'cut.webp', false)), false);
  await stores.files.deleteFolder(`cache/${picture.bucketId}/`);
});

test('a store that does not answer holds one up for a second, and the next ones not at all', async () => {
  const { shared, warnings } = openNode('f', {
    fault: { get: () => new Promise(() => undefined), put: () => Promise.reject(new Error('down')) },
  });
  const startedMs = performance.now();
  assert.equal(await shared.bring(picture, 'x.webp'), false);
  const firstMs = performance.now() - startedMs;
  for (let time = 0; time < 20; time++) assert.equal(await shared.bring(picture, `${time}.webp`), false);
  const restMs = performance.now() - startedMs - firstMs;
  assert.ok(firstMs < 1500 && restMs < 200, `${firstMs} ms, then ${restMs} ms`);
  assert.deepEqual(warnings, []);
});

test('what could not be sent is told in the log, and harms nobody', async () => {
  const { shared, warnings, make } = openNode('g', {
    fault: { put: () => Promise.reject(new Error('down')) },
  });
  await make('z.webp');
  await shared.publish(picture, 'z.webp');
  await shared.publish(picture, 'was-dropped.webp');
  assert.deepEqual(warnings, ['could not share a variant through the store']);
});

test('kept for good it is sent once', async () => {
  let sent = 0;
  const { stores } = openNode('h');
  const put: Storage['put'] = (key, data) => {
    sent += 1;
    return stores.files.put(key, data);
  };
  const { shared, make } = openNode('h', { fault: { put } });
  await make('kept.png');
  await Promise.all([shared.publish(picture, 'kept.png', { kept: true }), shared.keep(picture, 'kept.png')]);
  await shared.keep(picture, 'kept.png');
  assert.equal(sent, 1);
  await shared.release(picture, 'kept.png');
  assert.equal(await stores.files.head(variantKey(picture, 'kept.png', true)), null);
});

test('a few are sent at once, and no more wait than may', async () => {
  const queue = new PublishQueue({ atOnce: 2, maxWaiting: 3 });
  const ends: (() => void)[] = [];
  const upload = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const added = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => queue.add(key, upload));
  assert.deepEqual(
    added.map((each) => each !== null),
    [true, true, true, true, true, false],
  );
  assert.equal(ends.length, 2);
  assert.equal(queue.add('c', upload), added[2]);
  for (let ended = 0; ended < 5; ended += 1) {
    ends[ended]?.();
    await added[ended];
    assert.equal(ends.length, Math.min(5, ended + 3));
  }
  await queue.settled();
});
