// A large upload under broken lines and kill -9: at most 8 MB are ever sent again for each, and its bytes arrive as they
// were. CUTS and KILLS make it longer, UPLOAD_MB larger.
import assert from 'node:assert/strict';
import { createHash, randomFillSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { partBytes } from '../../src/objects/uploads/receive-parts.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { filesInFolder } from '../support/stored-parts.ts';
import { ResumableClient } from './resumable-client.ts';
import { Service } from './service.ts';

const cuts = Number(process.env['CUTS'] ?? 50);
const kills = Number(process.env['KILLS'] ?? 10);
const megabyte = 1024 ** 2;
const uploadBytes = Number(process.env['UPLOAD_MB'] ?? 200) * megabyte;

test(`an upload of ${uploadBytes / megabyte} MB survives ${cuts} cuts and ${kills} kills`, () =>
  withService(async ({ start, dataDir }) => {
    const file = await largePicture(uploadBytes);
    const client = new ResumableClient(file);
    let service = await start();
    await client.begin(service.api.url);
    const sentTwice = { most: 0, total: 0, withBuffers: 0 };
    let offset = 0;
    const strikes = shuffled([...Array<'cut'>(cuts).fill('cut'), ...Array<'kill'>(kills).fill('kill')]);
    for (const [index, strike] of strikes.entries()) {
      const share = (file.length - offset) / (strikes.length - index + 1);
      // A kill is dealt when more than one part may be there.
      const wanted =
        share * (0.2 + 1.6 * Math.random()) + (strike === 'kill' ? 12 * megabyte * Math.random() : 0);
      const after = Math.max(1, Math.min(Math.floor(wanted), file.length - offset - megabyte));
      const { sentTo, readTo } = await client.breakOff(service.api.url, {
        offset,
        after,
        freeze: () => signalAll(service, 'SIGSTOP'),
        strike: async () => (strike === 'kill' ? service.killGroup() : signalAll(service, 'SIGCONT')),
      });
      if (strike === 'kill') service = await start();
      const stands = await client.offset(service.api.url);
      assert.ok(stands >= offset, `what counted no longer counts: ${offset}, then ${stands}`);
      const lost = Math.max(0, readTo - stands);
      assert.ok(lost <= 8 * megabyte, `${lost} bytes were read and are not there after a ${strike}`);
      sentTwice.most = Math.max(sentTwice.most, lost);
      sentTwice.total += lost;
      sentTwice.withBuffers += Math.max(0, sentTo - stands);
      offset = stands;
    }
    const last = await client.sendRest(service.api.url, offset);
    assert.equal(last?.status, 200, JSON.stringify(last));
    assert.equal(await hashOf(service, last.body.original), sha256(file));
    assert.deepEqual(await filesInFolder(dataDir, 'part-'), []);
    const shown = Object.entries(sentTwice).map(
      ([name, bytes]) => `${name} ${(bytes / megabyte).toFixed(1)} MB`,
    );
    console.log(`sent twice in ${cuts} cuts and ${kills} kills: ${shown.join(', ')}`);
  }));

describe('an upload survives, and becomes one object, after kill -9 at', () => {
  const points = [
    'resumable:part-durable',
    'resumable:part-counted',
    'resumable:part-counted@2',
    'resumable:joined',
    'upload:received',
    'upload:durable',
    'upload:committed',
    'resumable:stored',
  ];
  for (const failpoint of points)
    test(failpoint, () =>
      withService(async ({ start, dataDir }) => {
        const file = await largePicture(partBytes + megabyte);
        const client = new ResumableClient(file);
        const first = await start(failpoint);
        await client.begin(first.api.url);
        assert.equal(await client.sendRest(first.api.url, 0), null);
        await first.fell;
        await first.killGroup();
        const second = await start();
        const offset = await client.offset(second.api.url);
        assert.ok([0, partBytes, file.length].includes(offset), `${offset}`);
        if (offset < file.length) assert.equal((await client.sendRest(second.api.url, offset))?.status, 200);
        const { status, body } = await client.result(second.api.url);
        assert.equal(status, 200);
        assert.equal(await hashOf(second, body.original), sha256(file));
        const { objects } = await second.api.askJson<{ objects: string[] }>('/get/');
        assert.deepEqual(objects.length, 1);
        // After a death between the commit and the removal, the janitor of the next start removes the parts.
        await eventually(async () => assert.deepEqual(await filesInFolder(dataDir, 'part-'), []));
      }),
    );
});

type Running = { start: (failpoint?: string) => Promise<Service>; dataDir: string };

async function withService(work: (running: Running) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tintype-resumable-'));
  const started: Service[] = [];
  try {
    await work({
      dataDir,
      async start(failpoint) {
        const service = await Service.start({ dataDir, ...(failpoint ? { failpoint } : {}) });
        started.push(service);
        assert.ok((await service.ready()) !== null, service.said);
        return service;
      },
    });
  } finally {
    for (const service of started) if (!service.isDead) await service.killGroup();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A picture with bytes behind it that are all different. */
async function largePicture(bytes: number): Promise<Buffer> {
  const file = randomFillSync(Buffer.allocUnsafe(bytes));
  (await picture(64, 48)).copy(file);
  return file;
}

/** On this service's own port: the addresses name another host. */
async function hashOf({ api }: Service, address: string): Promise<string> {
  return sha256((await api.ask(new URL(address).pathname)).bytes);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function signalAll(service: Service, signal: NodeJS.Signals): void {
  process.kill(-service.pid, signal);
}

function shuffled<T>(list: T[]): T[] {
  return list
    .map((value) => ({ value, place: Math.random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ value }) => value);
}
