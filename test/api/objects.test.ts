import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newAccount, sendJson } from '../support/accounts.ts';
import { assertClean, assertConsistent } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let file: Buffer;
before(async () => {
  server = await startServer();
  file = await picture(24, 16);
});
after(() => server.stop());

const update = (id: string, body: unknown, key?: string) =>
  server.json(`/update/${id}`, { ...sendJson('POST', body), ...(key === undefined ? {} : { key }) });
const remove = (id: string, key?: string) =>
  server.json(`/delete/${id}`, { method: 'DELETE', ...(key === undefined ? {} : { key }) });
const bulk = (body: unknown) => server.json('/bulk/', sendJson('POST', body));
const notFound = { message: 'Object not found', code: 'object_not_found' };
const tagsFault = { message: 'Field "tags" must be an array of strings' };

test('an object is read with all that is known of it', async () => {
  const before = Date.now();
  const { body: stored } = await server.upload(file, { tags: 'a,b', folder: 'f' });
  const { status, body } = await server.json(`/get/${stored.object_id}`);
  assert.equal(status, 200);
  const { created_at: createdAt, status: state, ...rest } = body;
  assert.deepEqual(rest, stored);
  assert.equal(state, 'ready');
  assert.equal(new Date(createdAt).toISOString(), createdAt);
  assert.ok(Date.parse(createdAt) >= before && Date.parse(createdAt) <= Date.now());
});

test('an update replaces the tags, and the folder only when it is given', async () => {
  const { body: stored } = await server.upload(file, { tags: 'a,b', folder: 'f', object: 'updated' });
  const { status, body } = await update('updated', { tags: [' c ', 'b', '', 'c'] });
  assert.equal(status, 200);
  assert.deepEqual(body, { object_id: 'updated', object_url: stored.object_url, status: 'success' });
  const read = async () => {
    const { body: now } = await server.json('/get/updated');
    return [now.tags, now.folder];
  };
  assert.deepEqual(await read(), [['c', 'b'], 'f']);
  await update('updated', { tags: [], folder: '/g/h/' });
  assert.deepEqual(await read(), [[], 'g/h']);
  await update('updated', { tags: ['x'], folder: null });
  assert.deepEqual(await read(), [['x'], null]);
  await update('updated', { tags: ['x'], folder: '' });
  assert.deepEqual(await read(), [['x'], null]);
});

test('listings and counts follow an update', async () => {
  const { api_key: key } = await newAccount(server);
  await server.upload(file, { object: 'moved', tags: 'old,both', folder: 'from' }, { key });
  await update('moved', { tags: ['both', 'new'], folder: 'to' }, key);
  const found = async (query: string) => (await server.json(`/get/?${query}`, { key })).body.objects.length;
  assert.deepEqual(
    await Promise.all(['tags=old', 'tags=new', 'tags=both', 'folder=from', 'folder=to'].map(found)),
    [0, 1, 1, 0, 1],
  );
  assert.deepEqual((await server.json('/tags/', { key })).body.tags, [
    { name: 'both', count: 1 },
    { name: 'new', count: 1 },
  ]);
  assert.deepEqual((await server.json('/folders/', { key })).body.folders, [{ name: 'to', count: 1 }]);
});

test('anything but an array of strings is refused and changes nothing', async () => {
  await server.upload(file, { object: 'unchanged', tags: 'kept' });
  for (const tags of ['a', 5, null, {}, true, [1], ['a', null], [['a']], [{}], ['a,b'], ['ok', 'a\nb']])
    assertError(await update('unchanged', { tags }), 400, tagsFault);
  assertError(await update('unchanged', {}), 400, tagsFault);
  assertError(await update('unchanged', { folder: 'x' }), 400, tagsFault);
  for (const body of [[], 'tags', 5, null, true]) assertError(await update('unchanged', body), 400);
  const bad = [
    ['a,b'],
    ['x'.repeat(101)],
    ['a\u0000'],
    ['\ud800'],
    Array.from({ length: 101 }, (_, index) => String(index)),
  ];
  for (const tags of bad) assertError(await update('unchanged', { tags }), 400, { message: /tag/ });
  for (const folder of [5, [], '..', 'a/../b', 'a\nb', 'x'.repeat(513)])
    assertError(await update('unchanged', { tags: [], folder }), 400, { message: /folder/ });
  assert.deepEqual((await server.json('/get/unchanged')).body.tags, ['kept']);
});

test('a deleted object is gone from every address at once, and its use of storage too', async () => {
  const { api_key: key } = await newAccount(server);
  const { body: stored } = await server.upload(file, { object: 'gone', tags: 't', folder: 'f' }, { key });
  const addresses = [stored.original, stored.optimised, `${stored.object_url}h-200_w-200.webp`];
  for (const address of addresses) assert.equal((await server.call(address, { key: null })).status, 200);
  const { status, body } = await remove('gone', key);
  assert.equal(status, 200);
  assert.deepEqual(body, { object_id: 'gone', object_url: stored.object_url, status: 'success' });
  for (const address of addresses) assertError(await server.json(address, { key: null }), 404, notFound);
  assertError(await server.json('/get/gone', { key }), 404, notFound);
  assertError(await update('gone', { tags: [] }, key), 404, notFound);
  assertError(await remove('gone', key), 404, notFound);
  assertError(await server.json('/create/gone/w-5.webp', { key }), 404, notFound);
  const { body: listing } = await server.json('/get/', { key });
  assert.deepEqual(listing.objects, []);
  assert.deepEqual((await server.json('/tags/', { key })).body, { tags: [] });
  assert.deepEqual((await server.json('/folders/', { key })).body, { folders: [] });
  const { body: user } = await server.json('/user/', { key });
  assert.deepEqual([user.storage_used, user.object_count], [0, 0]);
});

test('the original, its manifest and its variants leave the disk', async () => {
  const { body: stored } = await server.upload(file, { object: 'purged' });
  await (await server.call(stored.optimised)).arrayBuffer();
  await remove('purged');
  await eventually(() => assertConsistent(server));
});

test('an id can be used again after its object was deleted, and shows only the new picture', async () => {
  const second = await picture(10, 44, 'png');
  const { body: old } = await server.upload(file, { object: 'again' });
  await (await server.call(old.optimised)).arrayBuffer();
  await remove('again');
  const { status, body } = await server.upload(second, { object: 'again' });
  assert.equal(status, 200);
  assert.equal(body.object_url, old.object_url);
  const original = await server.call(body.original, { key: null });
  assert.deepEqual(Buffer.from(await original.arrayBuffer()), second);
  const created = await server.json('/create/again/original.webp');
  assert.deepEqual([created.body.width, created.body.height], [10, 44]);
});

test('ids that name nothing, or could not, are 404 for every action', async () => {
  for (const id of ['nothing', 'a%2Fb', '..%2F..%2Fetc', '%00', 'x'.repeat(2000), 'a%20b', '%E2%80%AE']) {
    assertError(await server.json(`/get/${id}`), 404, notFound);
    assertError(await update(id, { tags: [] }), 404, notFound);
    assertError(await remove(id), 404, notFound);
  }
});

test('somebody else’s object is 404, for reading, changing, deleting and creating', async () => {
  const { api_key: other } = await newAccount(server);
  await server.upload(file, { object: 'mine', tags: 'kept' });
  assertError(await server.json('/get/mine', { key: other }), 404, notFound);
  assertError(await update('mine', { tags: ['theirs'] }, other), 404, notFound);
  assertError(await remove('mine', other), 404, notFound);
  assertError(await server.json('/create/mine/w-5.webp', { key: other }), 404, notFound);
  const inBulk = await server.json('/bulk/', {
    ...sendJson('POST', { action: 'delete', objects: ['mine'] }),
    key: other,
  });
  assert.deepEqual(inBulk.body.results, [{ object_id: 'mine', status: 'error', error: 'Object not found' }]);
  assert.deepEqual((await server.json('/get/mine')).body.tags, ['kept']);
});

test('bulk tags, untags and deletes, with a result for each object in the order given', async () => {
  for (const id of ['b1', 'b2', 'b3']) await server.upload(file, { object: id, tags: 'first' });
  const objects = ['b1', 'missing', 'b3', '../x'];
  const expected = [
    { object_id: 'b1', status: 'success' },
    { object_id: 'missing', status: 'error', error: 'Object not found' },
    { object_id: 'b3', status: 'success' },
    { object_id: '../x', status: 'error', error: 'Object not found' },
  ];
  const tagsOf = async () =>
    Promise.all(['b1', 'b2', 'b3'].map(async (id) => (await server.json(`/get/${id}`)).body.tags));
  assert.deepEqual((await bulk({ action: 'tag', objects, tags: ['x', ' y ', 'first'] })).body, {
    results: expected,
  });
  assert.deepEqual(await tagsOf(), [['first', 'x', 'y'], ['first'], ['first', 'x', 'y']]);
  assert.deepEqual((await bulk({ action: 'untag', objects, tags: ['first', 'never'] })).body, {
    results: expected,
  });
  assert.deepEqual(await tagsOf(), [['x', 'y'], ['first'], ['x', 'y']]);
  assert.deepEqual((await bulk({ action: 'delete', objects })).body, { results: expected });
  assertError(await server.json('/get/b1'), 404);
  assert.equal((await server.json('/get/b2')).status, 200);
});

test('one object’s fault in bulk does not stop the others', async () => {
  const many = Array.from({ length: 100 }, (_, index) => `t${index}`).join(',');
  await server.upload(file, { object: 'full', tags: many });
  await server.upload(file, { object: 'roomy' });
  const { body } = await bulk({ action: 'tag', objects: ['full', 'roomy'], tags: ['one-more'] });
  assert.deepEqual(
    body.results.map((result: { status: string }) => result.status),
    ['error', 'success'],
  );
  assert.match(body.results[0].error, /100 tags/);
});

test('an object named twice in a bulk deletion is deleted once', async () => {
  await server.upload(file, { object: 'twice' });
  const { body } = await bulk({ action: 'delete', objects: ['twice', 'twice'] });
  const outcomes = body.results.map((result: { status: string }) => result.status).sort();
  assert.deepEqual(outcomes, ['error', 'success']);
});

test('bulk takes 1 to 1000 ids and a known action', async () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
  const { status, body } = await bulk({ action: 'delete', objects: ids(1000) });
  assert.deepEqual([status, body.results.length], [200, 1000]);
  const objectsFault = { message: 'Field "objects" must be an array of 1 to 1000 object ids' };
  assertError(await bulk({ action: 'delete', objects: ids(1001) }), 400, objectsFault);
  assertError(await bulk({ action: 'delete', objects: [] }), 400, objectsFault);
  assertError(await bulk({ action: 'delete', objects: 'all' }), 400, objectsFault);
  assertError(await bulk({ action: 'delete', objects: [1] }), 400, { message: /objects/ });
  assertError(await bulk({ action: 'delete' }), 400, objectsFault);
  const actionFault = { message: 'Field "action" must be "delete", "tag" or "untag"' };
  for (const action of ['erase', '', null, 5, ['delete']])
    assertError(await bulk({ action, objects: ['a'] }), 400, actionFault);
  assertError(await bulk({ objects: ['a'] }), 400, actionFault);
  for (const tags of [undefined, [], [' ']])
    assertError(await bulk({ action: 'tag', objects: ['a'], tags }), 400, { message: /"tags"/ });
  for (const tags of ['a', [5]])
    assertError(await bulk({ action: 'tag', objects: ['a'], tags }), 400, { message: /tags/ });
});

test('after all that the service is clean', () => assertClean(server));
