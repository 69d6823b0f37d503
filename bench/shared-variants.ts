// What it costs that nodes share their variants: looking in the store for one that is nowhere, and fetching one that another
// node has made, beside reading it from this node's own disk. `sh scripts/node bench/shared-variants.ts [store address]`
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../src/config.ts';
import { openStores } from '../src/core.ts';
import { SharedVariants } from '../src/images/variants/shared-variants.ts';
import { writeVariant } from '../src/images/variants/variant-file.ts';
import { VariantStore } from '../src/images/variants/variant-store.ts';
import { newGeneration } from '../src/objects/object-keys.ts';

const count = 300;
const variantBytes = 20_000;

const folder = await mkdtemp(join(tmpdir(), 'tintype-bench-'));
const address = process.argv[2] ?? `file:${join(folder, 'files')}`;
const stores = await openStores(loadConfig({ DATA_DIR: folder, FILES_STORE: address }));
const original = {
  backend: 'files',
  bucketId: randomBytes(8).toString('hex'),
  generation: newGeneration(),
} as const;

function node(name: string): { store: VariantStore; shared: SharedVariants } {
  const store = new VariantStore({
    keptDir: join(folder, name, 'kept'),
    cacheDir: join(folder, name, 'cache'),
  });
  const shared = new SharedVariants({
    sharing: { database: true, stores: new Set(['files']) },
    stores,
    store,
    evictor: { added: async () => undefined },
    isStored: async () => true,
    log: { warn: (fields: object) => console.error(fields) },
  });
  return { store, shared };
}

async function measure(what: string, work: (fileName: string) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startedMs = performance.now();
    await work(`${index}.webp`);
    times.push(performance.now() - startedMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(count * share)] ?? 0).toFixed(2).padStart(8);
  console.log(`${what.padEnd(36)} median ${at(0.5)} ms   95% ${at(0.95)} ms`);
}

const [maker, other] = [node('maker'), node('other')];
const image = randomBytes(variantBytes);
const facts = {
  width: 1,
  height: 1,
  size: image.length,
  sha256: createHash('sha256').update(image).digest('hex'),
};
for (let index = 0; index < count; index += 1) {
  const path = maker.store.pathOf(original, `${index}.webp`, false);
  await maker.store.makeFolder(path);
  await writeVariant(path, image, facts);
}
console.log(`${count} variants of ${variantBytes / 1000} KB, one after another`);
await measure('look-up of what is nowhere', (name) => other.shared.bring(original, `no-${name}`));
await measure('sent after it was made', (name) => maker.shared.publish(original, name));
await measure('fetched by another node', (name) => other.shared.bring(original, name));
await measure('read from its own disk', async (name) => {
  const found = await other.store.find(original, name, false);
  await found?.handle.close();
});
await maker.shared.remove(original);
await rm(folder, { recursive: true, force: true });
