// Analysis under kill -9, with a provider that is slow and fails now and then: every picture can be found in the end, and
// none was told of twice. `ANALYSES=1000 ANALYSIS_MS=2000 npm test -- test/crash/analyses` is the whole of it.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type OpenAiStandIn, startOpenAiStandIn } from '../support/openai-stand-in.ts';
import { picture } from '../support/pictures.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import type { Api } from './api.ts';
import { Service } from './service.ts';

const pictures = Number(process.env['ANALYSES'] ?? 60);
const latencyMs = Number(process.env['ANALYSIS_MS'] ?? 300);
const shareOfErrors = 0.05;
const seed = 20261115;
const withinMs = 60_000 + pictures * 10 * (latencyMs / 100);

type Analysis = { analysed: number; waiting: number; failed: number };
type Found = { objects: string[]; captions: string[] };

describe('analysis', () => {
  test(`of ${pictures} pictures survives kill -9 in the middle, and a provider that fails`, () =>
    withService(async ({ start, receiver, provider }) => {
      provider.behave({ kind: 'flaky', share: shareOfErrors, seed });
      const first = await start();
      const ids = await uploadAll(first.api, pictures);
      await eventually(
        async () => assert.ok((await analysisOf(first.api)).analysed >= pictures / 3),
        withinMs,
      );
      await first.killGroup();
      const second = await start();
      const { analysed: before } = await analysisOf(second.api);
      assert.ok(before < pictures, 'it was to be killed in the middle');
      await eventually(async () => {
        const analysis = await analysisOf(second.api);
        assert.deepEqual([analysis.analysed, analysis.failed], [pictures, 0], JSON.stringify(analysis));
      }, withinMs);
      provider.behave({ kind: 'well' });
      provider.latencyMs = 0;
      await assertFoundOnceEach(second.api, ids);
      await assertToldOnceEach(receiver, ids);
      console.log(
        `${pictures} analysed, ${before} of them before the kill; ${provider.requests.length} calls`,
      );
    }));

  for (const failpoint of ['analysis:answered', 'analysis:kept', 'analysis:kept@3'])
    test(`survives kill -9 at ${failpoint}`, () =>
      withService(async ({ start, receiver }) => {
        const first = await start(failpoint);
        const ids = await uploadAll(first.api, 4);
        await first.fell;
        await first.killGroup();
        const second = await start();
        await eventually(async () => assert.equal((await analysisOf(second.api)).analysed, 4), 60_000);
        await assertFoundOnceEach(second.api, ids);
        await assertToldOnceEach(receiver, ids);
      }));
});

type Running = {
  start: (failpoint?: string) => Promise<Service>;
  receiver: Receiver;
  provider: OpenAiStandIn;
};

async function withService(work: (running: Running) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tintype-analyses-'));
  await using receiver = await startReceiver();
  // Each picture has a size of its own, and so a caption of its own.
  await using provider = await startOpenAiStandIn({
    caption: ({ width, height }) => captionOf(width, height),
    latencyMs,
  });
  const environment = {
    WEBHOOK_ALLOW_PRIVATE: 'on',
    OPENAI_BASE_URL: provider.url,
    ANALYSES_PER_MINUTE: '100000',
  };
  const started: Service[] = [];
  try {
    await work({
      receiver,
      provider,
      async start(failpoint) {
        const service = await Service.start({ dataDir, environment, ...(failpoint ? { failpoint } : {}) });
        started.push(service);
        assert.ok((await service.ready()) !== null, service.said);
        if (started.length === 1) await prepareAccount(service.api, receiver, provider);
        return service;
      },
    });
  } finally {
    for (const service of started) if (!service.isDead) await service.killGroup();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function prepareAccount(api: Api, receiver: Receiver, provider: OpenAiStandIn): Promise<void> {
  await api.ask('/webhooks/', {
    method: 'POST',
    body: { url: receiver.url, events: ['image.analyzed'] },
  });
  await api.ask('/user/', {
    method: 'PATCH',
    body: { ai_analysis: true, openai_api_key: provider.apiKey },
  });
}

const sizeOf = (index: number): [number, number] => [8 + (index % 40), 8 + Math.floor(index / 40)];
const captionOf = (width: number, height: number): string => `thing${width}x${height}`;

/** Ids by caption. */
async function uploadAll(api: Api, count: number): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let index = 0; index < count; index++) {
    const [width, height] = sizeOf(index);
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(await picture(width, height))]), 'picture.jpg');
    const { object_id: id } = await api.askJson<{ object_id: string }>('/upload/', { method: 'POST', body });
    ids.set(captionOf(width, height), id);
  }
  return ids;
}

const analysisOf = (api: Api): Promise<Analysis> => api.askJson<Analysis>('/analysis/');

async function assertFoundOnceEach(api: Api, ids: ReadonlyMap<string, string>): Promise<void> {
  for (const [caption, id] of ids) {
    const found = await api.askJson<Found>(`/get/search?q=${caption}&threshold=0.99`);
    assert.deepEqual(found.captions, [caption]);
    assert.ok(found.objects[0]?.endsWith(`/${id}/`), `${caption} is ${found.objects[0]}`);
  }
}

async function assertToldOnceEach(receiver: Receiver, ids: ReadonlyMap<string, string>): Promise<void> {
  // A receiver may hear the same event again, but never of a second one.
  const told = (): string[][] => {
    const events = new Map(receiver.received.map(({ id, event }) => [id, event.data.object_id as string]));
    return [[...events.values()].toSorted(), [...ids.values()].toSorted()];
  };
  await eventually(() => assert.deepEqual(...(told() as [string[], string[]])), 30_000);
}
