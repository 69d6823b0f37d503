// Films under kill -9: of the whole service at every step of their making, and of the worker alone. Each must end ready,
// and be told of once.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { makeFilm } from '../support/films.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import type { Api } from './api.ts';
import { Service } from './service.ts';

const environment = { WEBHOOK_ALLOW_PRIVATE: 'on' };
const processingMs = 60_000;
/** Must be transcoded, and long enough to be killed on the way. */
const film = makeFilm({ container: 'avi', seconds: 8, width: 640, height: 360 });
const failpoints = ['film:file-kept', 'film:file-kept@5', 'film:published', 'film:ended'];

type Details = { object_id: string; status: string; progress: number; video_url: string; error?: string };

describe('a film survives', () => {
  for (const failpoint of failpoints)
    test(`kill -9 at ${failpoint}`, () =>
      withService(async ({ start, receiver }) => {
        const first = await start(failpoint);
        const id = await uploadFilm(first.api);
        await first.fell;
        await first.killGroup();
        const second = await start();
        await assertReady(second.api, id);
        await assertToldOnce(receiver, id);
      }));

  test('not, but leaves nothing to see, when the upload dies before its answer', () =>
    withService(async ({ start }) => {
      const first = await start('upload:poster-kept');
      await assert.rejects(uploadFilm(first.api));
      await first.killGroup();
      const second = await start();
      const { objects } = await second.api.askJson<{ objects: string[] }>('/get/');
      assert.deepEqual(objects, []);
      const account = await second.api.askJson<{ video_minutes_used: number }>('/user/');
      assert.equal(account.video_minutes_used, 0);
      await assertReady(second.api, await uploadFilm(second.api));
    }));

  test('kill -9 of everything in the middle of the transcoding, twice', () =>
    withService(async ({ start, receiver }) => {
      let service = await start();
      const id = await uploadFilm(service.api);
      for (let kill = 0; kill < 2; kill++) {
        await untilProcessing(service.api, id);
        await pause(300);
        await service.killGroup();
        service = await start();
      }
      await assertReady(service.api, id);
      await assertToldOnce(receiver, id);
    }));

  test('kill -9 of its worker', () =>
    withService(async ({ start, receiver }) => {
      const service = await start();
      const id = await uploadFilm(service.api);
      await untilProcessing(service.api, id);
      await eventually(async () => assert.ok((await killFilmWorkers(service)) > 0));
      await assertReady(service.api, id);
      await assertToldOnce(receiver, id);
    }));

  test('but not three deaths of its worker: then it has failed, and says why', () =>
    withService(async ({ start, receiver }) => {
      const service = await start();
      const id = await uploadFilm(service.api);
      const killing = setInterval(() => void killFilmWorkers(service), 50);
      const { error } = await untilEnded(service.api, id, 'failed').finally(() => clearInterval(killing));
      assert.match(error ?? '', /^Processing failed three times/);
      await assertToldOnce(receiver, id, 'video.failed');
      const playlist = await service.api.send(await pathOf(service.api, id));
      assert.equal(playlist?.status, 404);
      assert.deepEqual(JSON.parse(String(playlist?.bytes)), { error: 'Video processing failed' });
    }));
});

type Running = { start: (failpoint?: string) => Promise<Service>; receiver: Receiver };

async function withService(work: (running: Running) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tintype-films-'));
  await using receiver = await startReceiver();
  const started: Service[] = [];
  try {
    await work({
      receiver,
      async start(failpoint) {
        const service = await Service.start({ dataDir, environment, ...(failpoint ? { failpoint } : {}) });
        started.push(service);
        assert.ok((await service.ready()) !== null, service.said);
        if (started.length === 1)
          await service.api.ask('/user/', { method: 'PATCH', body: { webhook_url: receiver.url } });
        return service;
      },
    });
  } finally {
    for (const service of started) if (!service.isDead) await service.killGroup();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function uploadFilm(api: Api): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(film)]), 'film.avi');
  return (await api.askJson<Details>('/upload/', { method: 'POST', body })).object_id;
}

const detailsOf = (api: Api, id: string): Promise<Details> => api.askJson<Details>(`/get/${id}`);

/** On this service's own port: the addresses name another host. */
async function pathOf(api: Api, id: string): Promise<string> {
  return new URL((await detailsOf(api, id)).video_url).pathname;
}

function untilProcessing(api: Api, id: string): Promise<void> {
  return eventually(async () => assert.equal((await detailsOf(api, id)).status, 'processing'), processingMs);
}

function untilEnded(api: Api, id: string, status: string): Promise<Details> {
  return eventually(async () => {
    const details = await detailsOf(api, id);
    assert.equal(details.status, status);
    return details;
  }, processingMs);
}

async function assertReady(api: Api, id: string): Promise<void> {
  const { progress } = await untilEnded(api, id, 'ready');
  assert.equal(progress, 100);
  const playlist = await api.ask(await pathOf(api, id));
  assert.match(String(playlist.bytes), /^#EXTM3U/);
}

async function assertToldOnce(receiver: Receiver, id: string, type = 'video.ready'): Promise<void> {
  const told = (): string[] =>
    receiver.received
      .filter(({ event }) => event.data.object_id === id)
      .map((one) => `${one.event.type} ${one.id}`);
  await eventually(() => assert.ok(told().length > 0), 20_000);
  // A receiver may hear the same event again, but never of a second one.
  await pause(500);
  const different = new Set(told());
  assert.equal(different.size, 1, [...different].join(', '));
  assert.match([...different][0] as string, new RegExp(`^${type.replace('.', '\\.')} `));
}

async function killFilmWorkers(service: Service): Promise<number> {
  let killed = 0;
  for (const pid of service.members()) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (!command.includes('film-worker')) continue;
    try {
      process.kill(pid, 'SIGKILL');
      killed += 1;
    } catch {
      // Gone by itself.
    }
  }
  return killed;
}
