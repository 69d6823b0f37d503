// Decoders that hang or die in the middle, and results at the edge of what may be rendered: the client is told, the next
// request works, and nothing is left behind.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { counter, get, plain } from '../support/variants.ts';

let server: TestServer;
let url: string;
let slow: string;
before(async () => {
  server = await startServer({ IMAGE_SECONDS: '2', IMAGE_WORKERS: '1' }, { runJobs: false });
  url = (await server.upload(await picture(60, 40))).body.object_url;
  slow = (await server.upload(await picture(900, 900))).body.object_url;
});
after(() => server.stop());

/** The workers are the only children of this process. */
async function workers(): Promise<number[]> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

async function signalWorkers(signal: NodeJS.Signals): Promise<number> {
  const pids = await workers();
  for (const pid of pids) process.kill(pid, signal);
  return pids.length;
}

/** Adds the workers that are there at some time during this. */
async function noteWorkersDuring(work: Promise<unknown>, seen: Set<number>): Promise<void> {
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      for (const pid of await workers()) seen.add(pid);
      await pause(20);
    }
  })();
  await work.finally(() => (isDone = true));
  await watching;
}

async function countGone(seen: ReadonlySet<number>): Promise<number> {
  return seen.difference(new Set(await workers())).size;
}

async function assertNextWorks(name: string): Promise<void> {
  assert.equal((await get(server, url + name)).status, 200);
  await eventually(async () =>
    assert.deepEqual(await readdir(join(server.dataDir, 'cache/.staging')), [], 'nothing stays in staging'),
  );
}

describe('a decoder', () => {
  test('that hangs is killed in time, and whoever waits is told', async () => {
    await get(server, `${url}w-9.png`);
    const crashes = await counter(server, 'tintype_image_worker_crashes');
    assert.equal(await signalWorkers('SIGSTOP'), 1);
    const startedMs = performance.now();
    assertError(await server.json(`${url}w-70.png`, { key: null }), 422, { message: /took too long/ });
    assert.ok(performance.now() - startedMs < 8000);
    assert.ok((await counter(server, 'tintype_image_worker_crashes')) >= crashes);
    await assertNextWorks('w-70.png');
  });

  test('that dies is replaced, and the picture is made after all', async () => {
    await get(server, `${url}w-10.png`);
    const asked = get(server, `${slow}w-1200.avif`);
    await pause(100);
    assert.equal(await signalWorkers('SIGKILL'), 1);
    assert.equal((await asked).status, 200);
    assert.ok((await counter(server, 'tintype_image_worker_crashes')) >= 1);
    await assertNextWorks('w-71.png');
  });

  test('that dies again and again makes its picture a fault of the picture, and of no other', async () => {
    let done = false;
    const asked = server.json(`${slow}w-1201.avif`, { key: null }).finally(() => (done = true));
    while (!done) {
      await signalWorkers('SIGKILL').catch(() => undefined);
      await pause(60);
    }
    const answer = await asked;
    assert.ok([422, 503].includes(answer.status), String(answer.status));
    assertError(answer, answer.status);
    await assertNextWorks('w-72.png');
  });
});

describe('results at the edge', () => {
  test('over 50 megapixels are 400 at once, whichever tokens lead there', async () => {
    for (const name of [
      'w-8192_h-8192.jpg',
      'w-4000_h-4000_dpr-2.webp',
      'pad-2000_dpr-5.png',
      'w-7000_h-7000_border-500-red.png',
      'w-8192_dpr-5.png',
      'rot-45_w-8192.png',
      'w-10_h-8192_dpr-5_pad-600.gif',
    ]) {
      const startedMs = performance.now();
      assertError(await server.json(url + name, { key: null }), 400, { message: /megapixels/ });
      assert.ok(performance.now() - startedMs < 250, name);
    }
  });

  test('longer than the encoder takes are scaled down to what it does', async () => {
    const { object_url: thin } = (await server.upload(await plain(1, 1000, [9, 99, 9]))).body;
    for (const [name, most] of [
      ['h-8192_dpr-5.webp', 16_383],
      ['h-8192_dpr-5.avif', 16_384],
      ['h-8192_dpr-3.jpg', 65_500],
    ] as const) {
      const { status, bytes } = await get(server, thin + name);
      assert.equal(status, 200, `${name}: ${bytes.toString().slice(0, 200)}`);
      const { height } = await sharp(bytes, { limitInputPixels: false }).metadata();
      assert.ok(height <= most && height >= 16_383, `${name}: ${height}`);
    }
  });
});

test(
  'the largest results with every costly step stay within time and memory',
  { skip: !process.env['LONG_TESTS'] && 'set LONG_TESTS=1 to run it (a minute or two)' },
  async () => {
    await using slow = await startServer({ IMAGE_SECONDS: '60', IMAGE_WORKERS: '1' }, { runJobs: false });
    const { object_url: large } = (await slow.upload(await picture(3000, 2000), { object: 'large' })).body;
    for (const name of [
      'w-8192_h-6000_r-max.png',
      'w-7900_h-6000_border-50-red_r-90_gray_bg-ff000080.jpg',
      'w-1600_h-1200_dpr-5_blur-100.jpg',
      'w-8192_h-6000_mark-large_markw-100_marka-50.jpg',
      'w-8000_h-6000_rot-45_r-9_border-9-red_pad-10_bg-blue_sepia.jpg',
      'w-8192_h-6000_meta-all_r-9.webp',
    ])
      assert.equal((await get(slow, large + name)).status, 200, name);
  },
);

test('a picture that costs a worker its life every time is soon refused at once, and its small variants are not', async () => {
  await using strict = await startServer({ IMAGE_SECONDS: '1', IMAGE_WORKERS: '1' }, { runJobs: false });
  const { object_url: noisy } = (await strict.upload(await picture(1500, 1500))).body;
  const seen = new Set<number>();
  const times: number[] = [];
  for (let index = 0; index < 5; index++) {
    const startedMs = performance.now();
    const asked = strict.json(`${noisy}w-6900_h-${7000 + index}.png`, { key: null });
    const took = asked.then(() => performance.now() - startedMs);
    await noteWorkersDuring(asked, seen);
    assertError(await asked, 422, { message: index < 3 ? /took too long/ : /./ });
    times.push(await took);
    const killed = Math.min(index + 1, 3);
    await eventually(async () => assert.equal(await countGone(seen), killed, JSON.stringify(times)));
  }
  assert.ok(
    // A second of processor time is over sooner by the clock where a decoder's threads have a processor each.
    times.slice(0, 3).every((ms) => ms > 900 / availableParallelism()),
    JSON.stringify(times),
  );
  assert.ok(
    times.slice(3).every((ms) => ms < 250),
    JSON.stringify(times),
  );
  assert.equal((await get(strict, `${noisy}w-40.png`)).status, 200);
  assert.equal(await countGone(seen), 3);
});
