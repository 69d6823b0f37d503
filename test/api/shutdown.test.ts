// SIGTERM to the real process: what was begun is finished, nothing new is taken, and it ends by itself.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { head, openSocket, readAnswer } from '../support/raw-http.ts';
import { operatorKey, startServer } from '../support/server.ts';
import { aboutFolders } from '../support/test-stores.ts';
import { type Service, spawnService } from '../support/spawn-service.ts';

let dataDir: string;
let service: Service;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tintype-shutdown-'));
});
after(async () => {
  service.process.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

const headers = { Authorization: `Bearer ${operatorKey}` };

async function upload(file: Buffer, object: string): Promise<{ object_url: string }> {
  const form = new FormData();
  form.append('object', object);
  form.append('file', new Blob([new Uint8Array(file)]), 'a.jpg');
  const answer = await fetch(`${service.url}/upload/`, { method: 'POST', body: form, headers });
  assert.equal(answer.status, 200);
  return (await answer.json()) as { object_url: string };
}

async function refusesConnections(): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const outcome = await once(socket, 'connect').then(
    () => 'connected',
    (error: NodeJS.ErrnoException) => error.code,
  );
  socket.destroy();
  assert.equal(outcome, 'ECONNREFUSED');
}

test('an upload and a rendering in the middle are finished, new connections refused, and the exit is clean', async () => {
  service = await spawnService(dataDir);
  const large = await upload(await picture(2500, 2500), 'large');
  const file = await picture(300, 300);
  const body = multipart([{ name: 'object', value: 'in-the-middle' }, filePart(file)]);
  const socket = await openSocket(service);
  socket.write(head('POST', '/upload/', { 'Content-Type': multipartType, 'Content-Length': body.length }));
  socket.write(body.subarray(0, body.length / 2));
  const idle = await openSocket(service);
  idle.write(head('GET', '/health/live'));
  assert.equal((await readAnswer(idle)).status, 200);
  const rendering = fetch(`${large.object_url}w-2400.avif`);
  await eventually(async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /^tintype_renderings_busy 1$/m);
  });

  const began = Date.now();
  service.process.kill('SIGTERM');
  await eventually(refusesConnections);
  socket.write(body.subarray(body.length / 2));
  const stored = await readAnswer(socket);
  assert.equal(stored.status, 200, stored.text);
  const rendered = await rendering;
  assert.equal(rendered.status, 200);
  assert.equal((await rendered.arrayBuffer()).byteLength, Number(rendered.headers.get('content-length')));

  assert.deepEqual(await service.exited, { code: 0, signal: null }, service.output());
  assert.ok(Date.now() - began < 25_000);
  socket.destroy();
  idle.destroy();
});

test('what was acknowledged is there after the next start', async () => {
  service = await spawnService(dataDir);
  const answer = await fetch(`${service.url}/get/`, { headers });
  const { objects } = (await answer.json()) as { objects: string[] };
  assert.deepEqual(
    objects.map((url) => url.split('/').at(-2)),
    ['in-the-middle', 'large'],
  );
});

test('clients that keep their connections open and say nothing do not hold it up', async () => {
  const sockets = await Promise.all([1, 2, 3].map(() => openSocket(service)));
  for (const socket of sockets) {
    socket.write(head('GET', '/health/live'));
    assert.equal((await readAnswer(socket)).status, 200);
  }
  const began = Date.now();
  service.process.kill('SIGTERM');
  assert.deepEqual(await service.exited, { code: 0, signal: null }, service.output());
  assert.ok(Date.now() - began < 5000, `it took ${Date.now() - began} ms`);
  for (const socket of sockets) socket.destroy();
});

test(
  'an upload that never ends is cut at the deadline, and leaves nothing',
  { skip: aboutFolders },
  async () => {
    // Not where the real process was: that one may have had another database.
    const ownDir = join(dataDir, 'own');
    await using server = await startServer({}, { requestGraceMs: 500, dataDir: ownDir });
    await server.upload(await picture(40, 40));
    const originals = async (): Promise<string[]> =>
      (await readdir(join(ownDir, 'files'), { recursive: true })).filter((path) =>
        /^[0-9a-f]{16}\/.*\/[0-9a-f]{24}$/.test(path),
      );
    const before = await originals();
    const socket = await openSocket(server);
    socket.write(head('POST', '/upload/', { 'Content-Type': multipartType, 'Content-Length': 1_000_000 }));
    const file = Buffer.concat([await picture(60, 60), Buffer.alloc(600_000)]);
    socket.write(multipart([filePart(file)], { end: false }));
    await eventually(async () => assert.equal((await originals()).length, before.length + 1));
    await server.stop();
    assert.deepEqual(await originals(), before);
    socket.destroy();
  },
);
