// Bytes that are hardly requests, over real sockets to the service as its own process: it answers what can be answered,
// refuses properly, and is afterwards as it was.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { head, sendRaw } from '../support/raw-http.ts';
import { type Service, spawnService } from '../support/spawn-service.ts';
import { openDescriptors } from './descriptors.ts';
import { fuzz, fuzzCases } from './fuzz.ts';
import { checkExchange } from './raw-exchange.ts';
import { RawRequests } from './raw-requests.ts';
import { rawTricks } from './raw-tricks.ts';
import { filesInStaging, generationsInRows, originalsOnDisk } from './stored-files.ts';

let dataDir: string;
let service: Service;
let bucket: string;
let file: Buffer;
let descriptorsBefore: number;
const pid = (): number => service.process.pid as number;

const send = (method: string, target: string, type: string, body: Buffer) =>
  sendRaw(
    service,
    Buffer.concat([
      Buffer.from(head(method, target, { 'Content-Type': type, 'Content-Length': body.length })),
      body,
    ]),
  );
const upload = (objectId: string) =>
  send('POST', '/upload/', multipartType, multipart([{ name: 'object', value: objectId }, filePart(file)]));

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tintype-fuzz-'));
  service = await spawnService(dataDir, { LOG_LEVEL: 'error' });
  file = await picture(2, 2, 'png');
  assert.equal((await upload('here')).status, 200);
  // Rendering what a damaged address happens to mean would take all the time.
  const presetsOnly = Buffer.from('{"transform_policy":"presets"}');
  const settings = await send('PATCH', '/user/', 'application/json', presetsOnly);
  bucket = (settings.body as { bucket_id: string }).bucket_id;
  descriptorsBefore = await openDescriptors(pid());
});
after(async () => {
  service.process.kill('SIGKILL');
  await service.exited;
  await rm(dataDir, { recursive: true, force: true });
});

test('tricks, hostile strings and damaged requests', async () => {
  const tricks = rawTricks(bucket, file);
  const requests = new RawRequests(bucket, file);
  await fuzz({
    name: 'HTTP',
    cases: Math.max(tricks.length, Math.ceil(fuzzCases / 10)),
    make: (random, index) => tricks[index] ?? requests.make(random),
    check: (made) => checkExchange(service.url, made),
    atOnce: 48,
  });
});

test('the service is as it was', async () => {
  assert.equal(service.process.exitCode, null);
  assert.doesNotMatch(service.output(), /"level":[56]0|garbage collection/);
  assert.equal((await upload('next')).status, 200, 'the next good upload');
  await eventually(async () => {
    assert.deepEqual(await originalsOnDisk(dataDir), generationsInRows(dataDir));
    assert.deepEqual(await filesInStaging(dataDir), []);
    const open = await openDescriptors(pid());
    assert.ok(open <= descriptorsBefore + 8, `${descriptorsBefore} → ${open} descriptors`);
  }, 20_000);
});
