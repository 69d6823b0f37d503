// What happens when several things happen at once: exactly one wins, nothing is counted twice, and old bytes never show.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newAccount, newKey, sendJson } from '../support/accounts.ts';
import { assertClean, assertConsistent } from '../support/assert-clean.ts';
import { assertError, assertErrorShape } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { head, openSocket, readAnswer } from '../support/raw-http.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let file: Buffer;
before(async () => {
  server = await startServer();
  file = await picture(40, 30);
});
after(() => server.stop());

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const remove = (id: string, key?: string) =>
  server.json(`/delete/${id}`, { method: 'DELETE', ...(key === undefined ? {} : { key }) });
const statuses = (answers: readonly { status: number }[]) =>
  answers.map(({ status }) => status).sort((left, right) => left - right);

test('the same custom id ten times at once: one is stored, nine are told that it is in use', async () => {
  const files = await times(10, (index) => picture(10 + index, 10));
  const answers = await times(10, (index) => server.upload(files[index] as Buffer, { object: 'contested' }));
  assert.deepEqual(statuses(answers), [200, ...Array<number>(9).fill(409)]);
  for (const answer of answers.filter(({ status }) => status === 409))
    assertError(answer, 409, { message: 'Object id already in use' });
  const winner = answers.findIndex(({ status }) => status === 200);
  const original = await server.call(answers[winner]?.body.original, { key: null });
  assert.deepEqual(Buffer.from(await original.arrayBuffer()), files[winner]);
  await eventually(() => assertConsistent(server));
});

test('fifty uploads at once against a limit only some fit: never a byte over, and the sum is exact', async () => {
  const files = await times(10, (index) => picture(20 + index, 20));
  const sizes = files.map(({ length }) => length);
  const limitBytes = sizes.reduce((sum, size) => sum + size, 0) * 2;
  const { api_key: key } = await newAccount(server, { storage_limit: limitBytes / 1024 });
  const answers = await times(50, (index) => server.upload(files[index % 10] as Buffer, {}, { key }));
  const stored = answers.flatMap(({ status }, index) =>
    status === 200 ? [sizes[index % 10] as number] : [],
  );
  const used = stored.reduce((sum, size) => sum + size, 0);
  assert.ok(used <= limitBytes, `${used} of ${limitBytes}`);
  assert.ok(limitBytes - used < Math.max(...sizes), 'as much as fits is used');
  for (const answer of answers.filter(({ status }) => status !== 200))
    assertError(answer, 403, { message: 'Storage limit exceeded' });
  const { body: user } = await server.json('/user/', { key });
  assert.deepEqual(
    [user.storage_used, user.object_count],
    [Math.round((used / 1024) * 100) / 100, stored.length],
  );
  await eventually(() => assertConsistent(server));
});

test('uploads and deletions at once keep the account exact', async () => {
  const { api_key: key } = await newAccount(server);
  await times(20, (index) => server.upload(file, { object: `mix${index}`, tags: `t${index % 3}` }, { key }));
  await Promise.all([
    times(20, (index) => remove(`mix${index}`, key)),
    times(20, (index) => server.upload(file, { object: `more${index}`, tags: 't0' }, { key })),
    times(20, (index) => server.json(`/update/more${index}`, { ...sendJson('POST', { tags: ['t1'] }), key })),
  ]);
  const { body: user } = await server.json('/user/', { key });
  assert.equal(user.object_count, 20);
  const { body: tags } = await server.json('/tags/', { key });
  assert.equal(
    tags.tags.reduce((sum: number, tag: { count: number }) => sum + tag.count, 0),
    20,
  );
  await eventually(() => assertConsistent(server));
});

test('deleted twice at once: one is done, the other finds nothing', async () => {
  for (let round = 0; round < 5; round++) {
    await server.upload(file, { object: 'once' });
    assert.deepEqual(statuses(await times(2, () => remove('once'))), [200, 404]);
  }
  const answers = await server.upload(file, { object: 'once' }).then(() => times(10, () => remove('once')));
  assert.deepEqual(statuses(answers), [200, ...Array<number>(9).fill(404)]);
});

test('updated during deletion: done or not found, and nothing of it stays', async () => {
  const { api_key: key } = await newAccount(server);
  for (let round = 0; round < 10; round++) {
    await server.upload(file, { object: 'both', tags: 'a' }, { key });
    const update = () =>
      server.json('/update/both', { ...sendJson('POST', { tags: [`b${round}`], folder: 'f' }), key });
    const [, deleted] = await Promise.all([update(), remove('both', key), update()]);
    assert.equal(deleted.status, 200);
    assertError(await server.json('/get/both', { key }), 404);
  }
  assert.deepEqual((await server.json('/tags/', { key })).body, { tags: [] });
  assert.deepEqual((await server.json('/folders/', { key })).body, { folders: [] });
});

test('tags added to one object by many at once are all kept', async () => {
  await server.upload(file, { object: 'tagged' });
  await times(20, (index) =>
    server.json('/bulk/', sendJson('POST', { action: 'tag', objects: ['tagged'], tags: [`tag${index}`] })),
  );
  assert.equal((await server.json('/get/tagged')).body.tags.length, 20);
});

test('deleted while variants are rendered: whole or not found, gone for good, and nothing stays on disk', async () => {
  const large = await picture(900, 900, 'png');
  const { body } = await server.upload(large, { object: 'rendered' });
  const { generation } = await server.app.core.database.read
    .selectFrom('objects')
    .select('generation')
    .where('object_id', '=', 'rendered')
    .executeTakeFirstOrThrow();
  const names = Array.from(
    { length: 12 },
    (_, index) => `w-${500 + index}.${['webp', 'png', 'jpg'][index % 3]}`,
  );
  const asked = names.map((name) => server.call(body.object_url + name, { key: null }));
  const created = ['w-400.webp', 'w-401.png'].map((name) => server.json(`/create/rendered/${name}`));
  await asked[0];
  assert.equal((await remove('rendered')).status, 200);
  for (const answer of await Promise.all(asked)) {
    if (answer.status === 200) assert.ok((await answer.arrayBuffer()).byteLength > 0);
    else assertErrorShape({ status: answer.status, headers: answer.headers, body: await answer.json() });
    assert.ok([200, 404].includes(answer.status), String(answer.status));
  }
  for (const answer of await Promise.all(created)) assert.ok([200, 404].includes(answer.status));
  for (const name of ['original', ...names])
    assertError(await server.json(body.object_url + name, { key: null }), 404);
  await eventually(async () => {
    assert.deepEqual(await filesNamed(server, generation), []);
    await assertConsistent(server);
  });
});

test('an id used again never shows what it showed before, at any address, while many look', async () => {
  let latest = 0;
  let done = false;
  const address = (await server.upload(await picture(16, 9), { object: 'reborn' })).body.object_url;
  await remove('reborn');
  /** Each life of the id has its own width, so that an answer tells which life it is from. */
  const look = async (name: string) => {
    while (!done) {
      const since = latest;
      const answer = await server.call(address + name, { key: null });
      if (answer.status !== 200) assertErrorShape({ ...answerOf(answer), body: await answer.json() });
      else {
        const width = Buffer.from(await answer.arrayBuffer()).readUInt32BE(16);
        assert.ok(width >= 100 + since, `${name} shows life ${width - 100} after life ${since} began`);
      }
    }
  };
  const lookers = Promise.all(['original', 'original.png', 'original', 'original.png'].map(look));
  lookers.catch(() => undefined);
  try {
    for (let life = 1; life <= 8; life++) {
      const { status } = await server.upload(await picture(100 + life, 9, 'png'), { object: 'reborn' });
      assert.equal(status, 200);
      latest = life;
      await (await server.call(`${address}original.png`, { key: null })).arrayBuffer();
      await remove('reborn');
    }
  } finally {
    done = true;
  }
  await lookers;
});

test('variants first asked for all at once are all gone when their object is', async () => {
  const { body } = await server.upload(file, { object: 'flock' });
  const names = Array.from({ length: 20 }, (_, index) => `w-${index + 1}.png`);
  await Promise.all(
    names.map(async (name) => (await server.call(body.object_url + name, { key: null })).arrayBuffer()),
  );
  await remove('flock');
  for (const name of names) assertError(await server.json(body.object_url + name, { key: null }), 404);
});

test('one variant asked for by thirty at once is the same for all', async () => {
  const { body } = await server.upload(await picture(600, 400));
  const answers = await times(30, () => server.call(`${body.object_url}w-300.webp`, { key: null }));
  const tags = new Set(answers.map(({ status, headers }) => `${status} ${headers.get('etag')}`));
  assert.equal(tags.size, 1);
  assert.deepEqual(
    [...tags].map((tag) => tag.slice(0, 3)),
    ['200'],
  );
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
});

test('a key revoked while its upload is on the way: nothing is stored with it any more', async () => {
  const account = await newAccount(server);
  const { key_id: keyId, api_key: key } = await newKey(server, account.api_key, {});
  const body = multipart([filePart(file)]);
  const socket = await openSocket(server);
  socket.write(
    head('POST', '/upload/', {
      Authorization: `Bearer ${key}`,
      'Content-Type': multipartType,
      'Content-Length': body.length,
    }),
  );
  socket.write(body.subarray(0, 300));
  await eventually(async () => {
    const { body: listed } = await server.json('/keys/', { key: account.api_key });
    const used = listed.keys.find((each: { key_id: string }) => each.key_id === keyId).last_used_at;
    assert.ok(used !== null, 'the upload has begun');
  });
  await server.json(`/keys/${keyId}`, { method: 'DELETE', key: account.api_key });
  socket.write(body.subarray(300));
  assert.equal((await readAnswer(socket)).status, 401);
  socket.destroy();
  assertError(await server.upload(file, {}, { key }), 401);
  await eventually(() => assertConsistent(server));
  const { headers } = await server.json('/get/', { key: account.api_key });
  assert.equal(headers.get('x-total-count'), '0');
});

test('a deleted object’s upload that is still on the way does not bring it back', async () => {
  const body = multipart([{ name: 'object', value: 'crossing' }, filePart(file)]);
  const socket = await openSocket(server);
  socket.write(head('POST', '/upload/', { 'Content-Type': multipartType, 'Content-Length': body.length }));
  socket.write(body.subarray(0, 400));
  await server.upload(await picture(12, 12), { object: 'crossing' });
  await remove('crossing');
  socket.write(body.subarray(400));
  const answer = await readAnswer(socket);
  socket.destroy();
  assert.equal(answer.status, 200, 'the id was free again');
  const { body: now } = await server.json('/get/crossing');
  assert.deepEqual([now.width, now.height], [40, 30]);
});

test('after all that the service is clean', () => assertClean(server));

function answerOf({ status, headers }: Response) {
  return { status, headers };
}

async function filesNamed({ dataDir }: TestServer, generation: string): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.includes(generation));
}

test('a picture whose account changes its settings while it is rendered is sent all the same', async () => {
  const large = await server.upload(await picture(1600, 1200), { object: 'settings-meanwhile' });
  const rendering = server.call(`${large.body.object_url}w-1500.avif`, { key: null });
  await eventually(async () =>
    assert.match(await (await server.call('/metrics')).text(), /^tintype_renderings_busy [1-9]/m),
  );
  for (const tokens of ['w-10', 'w-11'])
    assert.equal(
      (await server.json('/user/', sendJson('PATCH', { presets: { meanwhile: tokens } }))).status,
      200,
    );
  assert.equal((await rendering).status, 200);
});
