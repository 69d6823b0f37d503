// How a service of several processes ends, as a whole and in parts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { after, afterEach, before, test } from 'node:test';
import { Clustered, isAlive } from '../support/clustered.ts';
import { eventually } from '../support/eventually.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { head, openSocket, readAnswer } from '../support/raw-http.ts';
import { spawnService } from '../support/spawn-service.ts';

let service: Clustered;
let file: Buffer;
before(async () => {
  service = await Clustered.start();
  file = await picture(80, 60);
});
after(() => service.end());
afterEach(() => assert.doesNotMatch(service.service.output(), /"level":60/));

async function ended(processes: readonly number[], withinMs = 2000): Promise<void> {
  await eventually(() => assert.deepEqual(processes.filter(isAlive), []), withinMs);
}

/** Requests one after another in each of eight hands, until told to stop. */
function load(path: string): { stop(): Promise<{ answered: number; failed: string[] }> } {
  let going = true;
  let answered = 0;
  const failed: string[] = [];
  const hands = Array.from({ length: 8 }, async () => {
    while (going) {
      await service.get(path).then(
        ({ status }) => (status === 200 ? (answered += 1) : failed.push(String(status))),
        (error: NodeJS.ErrnoException) => failed.push(String(error.code)),
      );
    }
  });
  return {
    async stop() {
      going = false;
      await Promise.all(hands);
      return { answered, failed };
    },
  };
}

/** Sends the first half; the result sends the rest and tells the status. */
async function beginUpload(object: string): Promise<() => Promise<number>> {
  const body = multipart([{ name: 'object', value: object }, filePart(file)]);
  const half = body.length / 2;
  const socket = await openSocket(service.service);
  socket.write(head('POST', '/upload/', { 'Content-Type': multipartType, 'Content-Length': body.length }));
  socket.write(body.subarray(0, half));
  return async () => {
    socket.write(body.subarray(half));
    const { status } = await readAnswer(socket);
    socket.destroy();
    return status;
  };
}

test('a process that was killed is replaced, and the others go on', async () => {
  const path = await service.upload(file, 'steady');
  const [victim, ...others] = service.httpProcesses();
  assert.equal(others.length, 2);
  const running = load(`${path}original`);
  await pause(200);
  process.kill(victim as number, 'SIGKILL');
  await eventually(() => {
    const now = service.httpProcesses();
    assert.equal(now.length, 3);
    assert.ok(!now.includes(victim as number));
  }, 10_000);
  await pause(500);
  const { answered, failed } = await running.stop();
  // Only what the dead one had taken is lost.
  assert.ok(failed.length <= 8 && failed.every((how) => how === 'ECONNRESET'), failed.join());
  assert.ok(answered > 100, String(answered));
  assert.match(service.service.output(), /a process that answers requests ended; starting another/);
  await service.upload(file, 'after-replacement');
});

test('a process that dies again and again is replaced more and more slowly', async () => {
  for (let round = 0; round < 4; round++) {
    const victim = await eventually(() => {
      const all = service.httpProcesses();
      assert.equal(all.length, 3);
      return Math.max(...all);
    }, 10_000);
    process.kill(victim, 'SIGKILL');
    await ended([victim]);
  }
  assert.match(service.service.output(), /"pauseMs":[1-9]/);
  await eventually(() => assert.equal(service.httpProcesses().length, 3), 10_000);
});

test('when the primary is killed all others end by themselves, and the next start works at once', async () => {
  const rendering = service.get((await service.upload(await picture(2500, 2500), 'big')) + 'w-2400.avif');
  rendering.catch(() => undefined);
  await eventually(async () => assert.ok((await service.metric('tintype_renderings_busy')) > 0));
  const all = service.allProcesses();
  assert.ok(all.length >= 5, 'primary, three that answer, an image worker');
  process.kill(service.primary, 'SIGKILL');
  const again = spawnService(service.dataDir, { WEB_CONCURRENCY: '3' });
  await ended(all);
  const next = await again;
  assert.equal((await fetch(`${next.url}/health/ready`)).status, 200);
  next.process.kill('SIGTERM');
  assert.deepEqual(await next.exited, { code: 0, signal: null });
  service = await Clustered.start({}, service.dataDir);
});

test('SIGTERM under load: what was begun is finished in every process, and nobody is left', async () => {
  const large = await service.upload(await picture(1500, 1500), 'large');
  const uploads = await Promise.all(Array.from({ length: 6 }, (_, index) => beginUpload(`half-${index}`)));
  const renderings = Array.from({ length: 12 }, (_, index) => service.get(`${large}w-${1400 - index}.avif`));
  await eventually(async () => assert.ok((await service.metric('tintype_renderings_busy')) > 0));
  await pause(300);
  const all = service.allProcesses();
  service.service.process.kill('SIGTERM');
  await pause(100);
  const stored = await Promise.all(uploads.map((finish) => finish()));
  assert.deepEqual(
    stored,
    uploads.map(() => 200),
  );
  const answers = await Promise.all(renderings);
  assert.deepEqual(
    answers.map(({ status }) => status),
    renderings.map(() => 200),
  );
  assert.deepEqual(await service.service.exited, { code: 0, signal: null }, service.service.output());
  await ended(all);
});

test('a signal to all of its processes, as Ctrl-C sends, ends it as cleanly', async () => {
  service = await Clustered.start({}, service.dataDir);
  const path = await service.upload(await picture(1500, 1400), 'ctrl-c');
  const rendering = service.get(`${path}w-1300.avif`);
  await eventually(async () => assert.ok((await service.metric('tintype_renderings_busy')) > 0));
  const all = service.allProcesses();
  for (const pid of all) process.kill(pid, 'SIGINT');
  assert.equal((await rendering).status, 200);
  assert.deepEqual(await service.service.exited, { code: 0, signal: null }, service.service.output());
  await ended(all);
});

test('a port that is taken is told once, and nothing is left running', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const child = spawn('sh', ['scripts/node', 'bin/tintype.js', 'serve'], {
    env: { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: service.dataDir, WEB_CONCURRENCY: '3' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = text(child.stderr);
  const [code] = (await once(child, 'exit')) as [number];
  taken.close();
  assert.equal(code, 1);
  assert.equal((await said).match(/listen EADDRINUSE/g)?.length, 1, await said);
  await rm(service.dataDir, { recursive: true, force: true });
});
