// The data folder once background work is done: an original and a true manifest for exactly the objects there are, no
// variants of others, nothing in staging. Bytes without an object may only come from uploads that were never answered.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { variantFolders } from '../../../src/objects/list-stored.ts';
import type { Api } from '../api.ts';
import type { Model } from '../model.ts';

const drainMs = 15_000;
const generationPattern = /^[0-9a-f]{24}$/;

type Manifest = {
  object: {
    generation: string;
    object_id: string;
    sha256: string;
    size_bytes: number;
    tags: string;
    folder: string | null;
    original_file_name: string;
  };
};

/** Waits for background work first. */
export async function checkDisk(api: Api, model: Model, dataDir: string): Promise<void> {
  await drained(api);
  const generations = await checkFiles(join(dataDir, 'files'), model);
  for (const store of ['variants', 'cache']) await checkVariants(join(dataDir, store), generations);
  for (const store of ['files', 'storage', 'cache']) await emptied(join(dataDir, store, '.staging'));
}

async function drained(api: Api): Promise<void> {
  const deadline = Date.now() + drainMs;
  for (;;) {
    const metrics = (await api.ask('/metrics')).bytes.toString();
    const [waiting, dead] = ['waiting', 'dead'].map((name) =>
      Number(new RegExp(`^tintype_jobs_${name} (\\d+)$`, 'm').exec(metrics)?.[1]),
    );
    assert.equal(dead, 0, 'a background job was given up');
    if (waiting === 0) return;
    assert.ok(Date.now() < deadline, `${waiting} background jobs still wait after ${drainMs} ms`);
    await sleep(25);
  }
}

/** Returns the generations of the objects there are. */
async function checkFiles(folder: string, model: Model): Promise<Set<string>> {
  const paths = (await filesBelow(folder)).filter(
    (path) => basename(path) !== 'bucket.json' && !isSharedVariant(folder, path),
  );
  const originals = new Map(
    paths.filter((path) => !path.endsWith('.json')).map((path) => [basename(path), path]),
  );
  const manifests = await Promise.all(
    paths
      .filter((path) => path.endsWith('.json'))
      .map(async (path) => JSON.parse(await readFile(path, 'utf8')) as Manifest),
  );
  const written = manifests.map(({ object }) => ({
    id: object.object_id,
    sha256: object.sha256,
    sizeBytes: object.size_bytes,
    tags: JSON.parse(object.tags) as string[],
    folder: object.folder,
    fileName: object.original_file_name,
  }));
  const expected = model.alive().map(([id, state]) => ({ id, ...state }));
  assert.deepEqual(byId(written), byId(expected), 'manifests and objects differ');
  const generations = new Set(manifests.map(({ object }) => object.generation));
  for (const generation of generations)
    assert.ok(originals.delete(generation), `the bytes of ${generation} are missing`);
  for (const path of originals.values())
    assert.ok(model.mayBeOrphan(await readFile(path)), `bytes of a deleted object remain: ${path}`);
  return generations;
}

/** A node that dies in the middle of sending one may leave it behind: the daily sweep takes it, and nobody can ask for it. */
function isSharedVariant(folder: string, path: string): boolean {
  return variantFolders.some((name) => path.startsWith(join(folder, name)));
}

async function checkVariants(folder: string, generations: Set<string>): Promise<void> {
  const ofGone = (await filesBelow(folder)).filter((path) => {
    const generation = path.split('/').find((part) => generationPattern.test(part));
    return generation !== undefined && !generations.has(generation);
  });
  assert.deepEqual(ofGone, [], 'variants of deleted objects remain');
}

async function emptied(folder: string): Promise<void> {
  const deadline = Date.now() + 3000;
  const look = (): Promise<string[]> => readdir(folder).catch(() => []);
  let left = await look();
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(25);
    left = await look();
  }
  assert.deepEqual(left, [], `${folder} is not empty`);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('.staging'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function byId<T extends { id: string }>(items: T[]): T[] {
  return items.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}
