// A resumable upload whose every request comes to whichever process: they need nothing of each other but the database.
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Clustered } from '../support/clustered.ts';
import type { HttpAnswer } from '../support/http-answers.ts';
import { picture } from '../support/pictures.ts';
import { operatorKey } from '../support/server.ts';
import { filesInFolder } from '../support/stored-parts.ts';

let service: Clustered;
before(async () => {
  service = await Clustered.start();
});
after(() => service.end());

const common = { Authorization: `Bearer ${operatorKey}`, 'Tus-Resumable': '1.0.0' };

async function begin(length: number): Promise<string> {
  const headers = { ...common, 'Upload-Length': String(length) };
  const { status, headers: answered } = await service.get('/upload/resumable', { method: 'POST', headers });
  assert.equal(status, 201);
  return new URL(answered['location'] as string).pathname;
}

function send(path: string, offset: number, body: Buffer): Promise<HttpAnswer> {
  const headers = {
    ...common,
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Offset': String(offset),
  };
  return service.get(path, { method: 'PATCH', headers, body });
}

async function offsetOf(path: string): Promise<number> {
  const { headers } = await service.get(path, { method: 'HEAD', headers: common });
  return Number(headers['upload-offset']);
}

/** With bytes behind the picture that are all different. */
async function file(bytes: number): Promise<Buffer> {
  const whole = randomFillSync(Buffer.alloc(bytes));
  (await picture(64, 48)).copy(whole);
  return whole;
}

test('pieces, questions and the end may come to any of them', async () => {
  const whole = await file(900_000);
  const path = await begin(whole.length);
  let last: HttpAnswer | undefined;
  for (let at = 0; at < whole.length; at += 50_000) {
    assert.equal(await offsetOf(path), at);
    last = await send(path, at, whole.subarray(at, at + 50_000));
    assert.equal(last.status, at + 50_000 < whole.length ? 204 : 200);
  }
  const { original } = JSON.parse(String(last?.bytes)) as { original: string };
  assert.deepEqual((await service.get(new URL(original).pathname)).bytes, whole);
  const asked = await Promise.all(Array.from({ length: 12 }, () => service.get(path, { headers: common })));
  assert.deepEqual(
    new Set(asked.map(({ status, bytes }) => `${status} ${String(bytes)}`)),
    new Set([`200 ${String(last?.bytes)}`]),
  );
});

test('what several bring at once counts once, and becomes one object', async () => {
  const before = (await service.call('GET', '/user/')).object_count;
  const rounds = 6;
  for (let round = 0; round < rounds; round++) {
    const whole = await file(200_000);
    const path = await begin(whole.length);
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(path, 0, whole)));
    for (const { status } of answers) assert.ok([200, 409].includes(status), `${status}`);
    const offset = await offsetOf(path);
    const { status, bytes } = await send(path, offset, whole.subarray(offset));
    assert.equal(status, 200, String(bytes));
    const { original } = JSON.parse(String(bytes)) as { original: string };
    assert.deepEqual((await service.get(new URL(original).pathname)).bytes, whole);
  }
  assert.equal((await service.call('GET', '/user/')).object_count, before + rounds);
  assert.deepEqual(await filesInFolder(service.dataDir, 'part-'), []);
});
