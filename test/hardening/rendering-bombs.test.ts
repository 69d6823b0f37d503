// Bombs against a service in a process of its own: those that show in the header are refused at once, those that do not
// cost a worker its life, and the process that answers neither grows nor falls silent.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { costlyImages, largestSide, moreCostlyImages } from '../support/costly-images.ts';
import { eventually } from '../support/eventually.ts';
import { imageBombs } from '../support/image-bombs.ts';
import { picture } from '../support/pictures.ts';
import { operatorKey } from '../support/server.ts';
import { type Service, spawnService } from '../support/spawn-service.ts';

const maxGrowthBytes = 64 * 1024 * 1024;
const addresses = [
  'w-100.webp',
  'w-100.avif',
  'w-100.gif',
  'original.json',
  'bg-remove_w-9.png',
  'trim-5_w-9.png',
  'rot-45_w-50.png',
  'w-50_blur-100.png',
  'w-8192_h-6000.jpg',
  'mark-self_w-90.png',
];
const files = process.env['LONG_TESTS']
  ? { ...costlyImages(largestSide), ...moreCostlyImages(largestSide) }
  : costlyImages(5000);

let service: Service;
let dataDir: string;
let good: Buffer;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tintype-bombs-'));
  good = await picture(60, 40);
  // More workers than usual, so that the ones that hang hang beside each other and the test is over sooner.
  service = await spawnService(dataDir, { IMAGE_SECONDS: '1', IMAGE_WORKERS: '5', LOG_LEVEL: 'fatal' });
  await upload(good, 'warm');
  await memory();
});
after(async () => {
  service.process.kill('SIGKILL');
  await service.exited;
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

async function upload(bytes: Buffer, object: string): Promise<{ status: number; ms: number; body: any }> {
  const form = new FormData();
  form.append('object', object);
  form.append('file', new Blob([new Uint8Array(bytes)]), 'picture');
  const startedMs = performance.now();
  const headers = { Authorization: `Bearer ${operatorKey}` };
  const answer = await fetch(`${service.url}/upload/`, { method: 'POST', body: form, headers });
  return { status: answer.status, body: await answer.json(), ms: performance.now() - startedMs };
}

/** Of the process that answers, without its workers. */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${service.process.pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

/** Runs the attack while somebody asks for health and memory all the time. */
async function watched(attack: () => Promise<void>): Promise<void> {
  const startBytes = await memory();
  const seen = { health: [] as number[], growth: 0 };
  let done = false;
  const watch = (async () => {
    while (!done) {
      const startedMs = performance.now();
      assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
      seen.health.push(performance.now() - startedMs);
      seen.growth = Math.max(seen.growth, (await memory()) - startBytes);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  await attack().finally(() => (done = true));
  await watch;
  assert.ok(seen.growth <= maxGrowthBytes, `grew by ${seen.growth >> 20} MB`);
  const slow = seen.health.toSorted((a, b) => a - b)[Math.floor(seen.health.length * 0.95)] as number;
  assert.ok(slow <= 250, `health took ${slow} ms`);
}

test('bombs that show in the header are refused within a quarter of a second', async () => {
  const times: number[] = [];
  await watched(async () => {
    for (const [name, bytes] of Object.entries(imageBombs())) {
      const { status, ms } = await upload(bytes, 'bomb');
      assert.equal(status, 422, name);
      times.push(ms);
    }
  });
  // All but those that met a busy moment of the machine.
  const slow = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.8)] as number;
  assert.ok(slow <= 250, `${slow} ms`);
});

test(`${Object.keys(files).length} costly pictures at ${addresses.length} addresses each: made, refused or given up, never an error of ours`, async () => {
  const outcomes = new Map<number, number>();
  await watched(async () => {
    await Promise.all(
      Object.entries(files).map(async ([name, bytes]) => {
        const { status, body } = await upload(bytes, name);
        assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`);
        for (const address of addresses) {
          const startedMs = performance.now();
          const answer = await fetch(body.object_url + address.replace('self', name));
          const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
          const ms = performance.now() - startedMs;
          assert.ok(
            [200, 422].includes(answer.status),
            `${name} ${address}: ${answer.status} ${text.slice(0, 200)}`,
          );
          assert.ok(ms <= 10_000, `${name} ${address} took ${ms} ms`);
          if (answer.status === 422) assert.deepEqual(Object.keys(JSON.parse(text) as object), ['error']);
          outcomes.set(answer.status, (outcomes.get(answer.status) ?? 0) + 1);
        }
      }),
    );
  });
  assert.ok((outcomes.get(422) ?? 0) >= 20, `the files are hard: ${JSON.stringify([...outcomes])}`);
});

test('afterwards the next good picture is rendered, and nothing is left where files grow', async () => {
  const { status, body } = await upload(good, 'next');
  assert.equal(status, 200);
  for (const name of ['w-30.webp', 'w-30_r-5.png', 'original.json'])
    assert.equal((await fetch(body.object_url + name)).status, 200, name);
  await eventually(async () => {
    for (const folder of ['cache/.staging', 'files/.staging'])
      assert.deepEqual(await readdir(join(dataDir, folder)).catch(() => []), [], folder);
  }, 20_000);
});
