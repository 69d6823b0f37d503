import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { newAccount } from '../support/accounts.ts';
import { assertConsistent } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { head, openSocket, readAnswer } from '../support/raw-http.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let file: Buffer;
before(async () => {
  server = await startServer();
  file = await picture(30, 30);
});
after(() => server.stop());

function withKey(idempotencyKey: string, key?: string) {
  return { headers: { 'Idempotency-Key': idempotencyKey }, ...(key === undefined ? {} : { key }) };
}

async function objectCount(key?: string): Promise<number> {
  return (await server.json('/user/', key === undefined ? {} : { key })).body.object_count;
}

test('a repeat returns the first answer and stores nothing twice', async () => {
  const before = await objectCount();
  const first = await server.upload(file, { tags: 'a' }, withKey('one'));
  const repeat = await server.upload(await picture(9, 9), { tags: 'b' }, withKey('one'));
  assert.deepEqual([first.status, repeat.status], [200, 200]);
  assert.deepEqual(repeat.body, first.body);
  assert.equal(await objectCount(), before + 1);
});

test('another key, or none, stores again', async () => {
  const before = await objectCount();
  const ids = [
    await server.upload(file, {}, withKey('two')),
    await server.upload(file, {}, withKey('three')),
    await server.upload(file),
    await server.upload(file),
  ].map(({ body }) => body.object_id);
  assert.equal(new Set(ids).size, 4);
  assert.equal(await objectCount(), before + 4);
});

test('an account’s keys mean nothing to another account', async () => {
  const { api_key: other } = await newAccount(server);
  const mine = await server.upload(file, {}, withKey('same'));
  const theirs = await server.upload(file, {}, withKey('same', other));
  assert.notEqual(theirs.body.object_url, mine.body.object_url);
  assert.equal(await objectCount(other), 1);
});

test('a refused upload is not remembered', async () => {
  assertError(await server.upload(Buffer.from('text'), {}, withKey('again')), 415);
  const { status, body } = await server.upload(file, {}, withKey('again'));
  assert.deepEqual([status, body.type], [200, 'image/jpeg']);
});

test('ten at once with one key store one object and all get its answer', async () => {
  const before = await objectCount();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => server.upload(file, { object: 'at-once' }, withKey('at-once'))),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(10).fill(200),
  );
  assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
  assert.equal(await objectCount(), before + 1);
  await eventually(() => assertConsistent(server));
});

test('a repeat that was sent while the first was still under way gets the first answer too', async () => {
  const body = multipart([{ name: 'object', value: 'overlapping' }, filePart(file)]);
  const socket = await openSocket(server);
  const arrived = once(server.app.http.server, 'request');
  const headers = {
    'Content-Type': multipartType,
    'Content-Length': body.length,
    ...withKey('overlap').headers,
  };
  socket.write(head('POST', '/upload/', headers));
  socket.write(body.subarray(0, body.length / 2));
  await arrived;
  const first = await server.upload(file, { object: 'overlapping' }, withKey('overlap'));
  assert.equal(first.status, 200);
  socket.write(body.subarray(body.length / 2));
  const repeat = await readAnswer(socket);
  socket.destroy();
  assert.deepEqual([repeat.status, repeat.body], [200, first.body]);
  await eventually(() => assertConsistent(server));
});

test('the key must be 1 to 255 visible ASCII characters', async () => {
  for (const key of ['with space', 'x'.repeat(256), 'é'])
    assertError(await server.upload(file, {}, withKey(key)), 400, { message: /Idempotency-Key/ });
  assert.equal((await server.upload(file, {}, withKey('x'.repeat(255)))).status, 200);
});
