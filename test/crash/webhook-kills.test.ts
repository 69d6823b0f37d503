// Kills the service at every step of telling receivers, again and again: every event of an acknowledged change arrives,
// signed, and under one id however often it is sent.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { json } from './api.ts';
import { Service } from './service.ts';

const kills = Number(process.env['WEBHOOK_KILLS'] ?? 10);
const uploadsPerRound = 6;
/** Each with the passes after which it may strike: events are handed out many at a time. */
const failpoints: [name: string, passes: number][] = [
  ['webhook:sent', 9],
  ['webhook:fanning-out', 1],
  ['webhook:recorded', 9],
  ['webhook:fanned-out', 1],
  ['upload:committed', uploadsPerRound],
];
const environment = { WEBHOOK_ALLOW_PRIVATE: 'on' };
const types = ['object.created', 'object.deleted'];

test(`no event is lost in ${kills} kills`, { timeout: 60_000 + kills * 5000 }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tintype-webhook-kills-'));
  await using receivers = await startReceivers(2);
  const file = await picture(4, 4);
  /** `type object_id` of all that was acknowledged. */
  const promised = new Set<string>();
  const uploads: string[] = [];
  let service = await Service.start({ dataDir, environment });
  try {
    await service.ready();
    const secrets: string[] = [];
    for (const { url } of receivers.all) {
      const request = { method: 'POST', body: { url, events: types } };
      secrets.push(json<{ secret: string }>(await service.api.ask('/webhooks/', request)).secret);
    }
    for (let round = 0; round < kills; round++) {
      const [failpoint = '', passes = 1] = failpoints[round % failpoints.length] ?? [];
      const pass = 1 + ((round * 5) % passes);
      await service.killGroup();
      service = await Service.start({ dataDir, environment, failpoint: `${failpoint}@${pass}` });
      if ((await service.ready()) !== null) await change(service, { file, round, promised, uploads });
      await Promise.race([service.fell, pause(10_000, undefined, { ref: false })]);
      assert.match(
        service.said,
        new RegExp(`died at failpoint ${failpoint}`),
        `${failpoint} was not reached`,
      );
    }
    await service.killGroup();
    service = await Service.start({ dataDir, environment });
    await service.ready();
    assert.ok(promised.size >= kills, 'hardly anything was acknowledged');
    for (const [index, receiver] of receivers.all.entries())
      await eventually(() => {
        const missing = promised.difference(new Set(receiver.received.map(nameOf)));
        assert.deepEqual([...missing], []);
      }, 20_000).then(() => checkAll(receiver, secrets[index] as string));
  } finally {
    await service.killGroup();
    await rm(dataDir, { recursive: true, force: true });
  }
});

type Round = { file: Buffer; round: number; promised: Set<string>; uploads: string[] };

/** Some uploads and a deletion at once; what is answered is promised. */
async function change({ api }: Service, { file, round, promised, uploads }: Round): Promise<void> {
  const upload = async (index: number): Promise<void> => {
    const form = new FormData();
    form.append('object', `o-${round}-${index}`);
    form.append('file', new Blob([new Uint8Array(file)]), 'x.jpg');
    const answer = await api.send('/upload/', { method: 'POST', body: form });
    if (answer?.status !== 200) return;
    promised.add(`object.created o-${round}-${index}`);
    uploads.push(`o-${round}-${index}`);
  };
  const remove = async (): Promise<void> => {
    const id = uploads.shift();
    const answer = id ? await api.send(`/delete/${id}`, { method: 'DELETE' }) : null;
    if (answer?.status === 200) promised.add(`object.deleted ${id}`);
  };
  await Promise.all([...Array.from({ length: uploadsPerRound }, (_, index) => upload(index)), remove()]);
}

const nameOf = ({ event }: Receiver['received'][number]): string => `${event.type} ${event.data.object_id}`;

function checkAll(receiver: Receiver, secret: string): void {
  const idsByName = Map.groupBy(receiver.received, nameOf);
  for (const [name, copies] of idsByName) {
    for (const copy of copies) receiver.verify(copy, secret);
    assert.equal(new Set(copies.map(({ id }) => id)).size, 1, `${name} came under several ids`);
    assert.equal(new Set(copies.map(({ body }) => body)).size, 1, `${name} came in several forms`);
  }
}

async function startReceivers(count: number) {
  const all = await Promise.all(Array.from({ length: count }, () => startReceiver()));
  return {
    all,
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(all.map((each) => each[Symbol.asyncDispose]()))),
  };
}
