import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { newAccount } from '../support/accounts.ts';
import { assertConsistent } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { gifWithFrames } from '../support/hostile-images.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('an upload answers with exactly the fields of an image, and its addresses work', async () => {
  const file = await picture(320, 200);
  const { status, body } = await server.upload(
    file,
    { tags: ' a, b ,,a', folder: '/trips/2026/' },
    { fileName: 'C:\\x\\Sea side.jpg' },
  );
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), [
    'folder',
    'height',
    'object_id',
    'object_url',
    'optimised',
    'original',
    'original_file_name',
    'size',
    'tags',
    'type',
    'width',
  ]);
  assert.match(body.object_id, /^[0-9a-f]{12}$/);
  assert.equal(body.original, `${body.object_url}original`);
  assert.equal(body.optimised, `${body.object_url}original.webp`);
  assert.match(
    body.object_url,
    new RegExp(`^${RegExp.escape(server.url)}/files/[0-9a-f]{16}/${body.object_id}/$`),
  );
  assert.deepEqual(body.tags, ['a', 'b']);
  assert.equal(body.folder, 'trips/2026');
  assert.equal(body.original_file_name, 'Sea side.jpg');
  assert.equal(body.size, Math.round((file.length / 1024) * 100) / 100);
  assert.deepEqual([body.type, body.width, body.height], ['image/jpeg', 320, 200]);
  const original = await server.call(body.original, { key: null });
  assert.deepEqual(Buffer.from(await original.arrayBuffer()), file);
  const optimised = await server.call(body.optimised, { key: null });
  assert.equal(optimised.headers.get('content-type'), 'image/webp');
});

test('without tags and folder, tags are empty and the folder is null', async () => {
  const { body } = await server.upload(await picture(4, 4), { tags: '', folder: '', object: '' });
  assert.deepEqual([body.tags, body.folder], [[], null]);
  assert.match(body.object_id, /^[0-9a-f]{12}$/, 'an empty id is none');
});

for (const [format, type] of [
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
] as const) {
  test(`a ${format} is known by its bytes, whatever its name and the client say`, async () => {
    const form = new FormData();
    const file = new File([new Uint8Array(await picture(31, 17, format))], 'notes.txt', {
      type: 'text/plain',
    });
    form.append('file', file);
    const { status, body } = await server.json('/upload/', { method: 'POST', body: form });
    assert.equal(status, 200);
    assert.deepEqual([body.type, body.width, body.height], [type, 31, 17]);
    assert.equal(body.original_file_name, 'notes.txt');
    const original = await server.call(body.original, { key: null });
    assert.equal(original.headers.get('content-type'), type);
    await original.body?.cancel();
  });
}

test('width and height are as displayed', async () => {
  const turned = await sharp(await picture(30, 20))
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const { body } = await server.upload(turned);
  assert.deepEqual([body.width, body.height], [20, 30]);
});

test('an animation is one picture of the size of a frame', async () => {
  const { status, body } = await server.upload(gifWithFrames(20, 6, 5));
  assert.equal(status, 200);
  assert.deepEqual([body.type, body.width, body.height], ['image/gif', 6, 5]);
});

test('bytes after the picture are accepted and served as they came', async () => {
  const file = Buffer.concat([await picture(8, 8), Buffer.from('<script>alert(1)</script>')]);
  const { status, body } = await server.upload(file);
  assert.equal(status, 200);
  const original = await server.call(body.original, { key: null });
  assert.deepEqual(Buffer.from(await original.arrayBuffer()), file);
  assert.equal(original.headers.get('content-type'), 'image/jpeg');
});

test('parts may come in any order, and fields nobody knows are ignored', async () => {
  const parts = [
    filePart(await picture(5, 5)),
    { name: 'colour', value: 'blue' },
    { name: 'object', value: 'file-first' },
    { name: 'folder', value: 'a/b' },
    { name: 'tags', value: 'x,y' },
    { name: 'tags', value: 'y,z' },
  ];
  const { status, body } = await post(multipart(parts));
  assert.equal(status, 200);
  assert.deepEqual([body.object_id, body.folder, body.tags], ['file-first', 'a/b', ['x', 'y', 'z']]);
});

test('a custom id is taken as it is, works in its address, and is refused while it is in use', async () => {
  const file = await picture(5, 5);
  for (const id of ['A', '0', 'a.b', 'My_Photo-1.final', 'x'.repeat(128), 'Tags', 'video']) {
    const { status, body } = await server.upload(file, { object: id });
    assert.equal(status, 200, id);
    assert.equal(body.object_id, id);
    const original = await server.call(body.original, { key: null });
    assert.deepEqual(Buffer.from(await original.arrayBuffer()), file);
    const again = await server.upload(file, { object: id });
    assertError(again, 409, { message: 'Object id already in use', code: 'object_id_in_use' });
  }
  await eventually(() => assertConsistent(server));
});

test('two accounts may use the same id', async () => {
  const other = await newAccount(server);
  const mine = await server.upload(await picture(5, 5), { object: 'shared' });
  const theirs = await server.upload(await picture(6, 6), { object: 'shared' }, { key: other.api_key });
  assert.deepEqual([mine.status, theirs.status], [200, 200]);
  assert.notEqual(mine.body.object_url, theirs.body.object_url);
});

test('the last part of the file name is kept, without control characters, cut to 255 bytes', async () => {
  const file = await picture(5, 5);
  const names: [string, string][] = [
    ['/etc/passwd.jpg', 'passwd.jpg'],
    ['..\\..\\win.ini', 'win.ini'],
    ['a\u0001b\u007fc.jpg', 'abc.jpg'],
    ['Ünïcödé ☃ 照片.jpg', 'Ünïcödé ☃ 照片.jpg'],
    ['é'.repeat(200), 'é'.repeat(127)],
    ['', 'file'],
    ['folder/', 'file'],
  ];
  for (const [given, kept] of names) {
    const { status, body } = await post(multipart([{ name: 'file', value: file, fileName: given }]));
    assert.equal(status, 200, given);
    assert.equal(body.original_file_name, kept);
  }
});

test('tags and folders are normalised as documented', async () => {
  const file = await picture(5, 5);
  const hundred = Array.from({ length: 100 }, (_, index) => `t${index}`);
  const cases: [Record<string, string>, { tags?: string[]; folder?: string | null }][] = [
    [{ tags: 'Sea,sea, SEA ,Sea' }, { tags: ['Sea', 'sea', 'SEA'] }],
    [{ tags: ',, ,' }, { tags: [] }],
    [{ tags: hundred.join(',') }, { tags: hundred }],
    [{ tags: 'x'.repeat(100) }, { tags: ['x'.repeat(100)] }],
    [{ tags: '🦊'.repeat(100) }, { tags: ['🦊'.repeat(100)] }],
    [{ folder: '///a//b///' }, { folder: 'a//b' }],
    [{ folder: '/' }, { folder: null }],
    [{ folder: 'x'.repeat(512) }, { folder: 'x'.repeat(512) }],
    [{ folder: 'a/..b/c..' }, { folder: 'a/..b/c..' }],
  ];
  for (const [fields, expected] of cases) {
    const { status, body } = await server.upload(file, fields);
    assert.equal(status, 200, JSON.stringify(fields));
    if (expected.tags) assert.deepEqual(body.tags, expected.tags);
    if ('folder' in expected) assert.equal(body.folder, expected.folder);
  }
});

test('an upload over the storage limit is 403 and takes nothing; the last byte of room can be used', async () => {
  const file = await picture(50, 50);
  const account = await newAccount(server, { storage_limit: file.length / 1024 });
  const fits = await server.upload(file, {}, { key: account.api_key });
  assert.equal(fits.status, 200);
  const over = await server.upload(await picture(1, 1), {}, { key: account.api_key });
  assertError(over, 403, { message: 'Storage limit exceeded', code: 'storage_limit_exceeded' });
  const { body: user } = await server.json('/user/', { key: account.api_key });
  assert.deepEqual([user.storage_used, user.object_count], [user.storage_limit, 1]);
  await server.json(`/delete/${fits.body.object_id}`, { method: 'DELETE', key: account.api_key });
  const { body: emptied } = await server.json('/user/', { key: account.api_key });
  assert.deepEqual([emptied.storage_used, emptied.object_count], [0, 0], 'use falls at once');
  assert.equal((await server.upload(file, {}, { key: account.api_key })).status, 200);
});

test('of several faults known together the first of the documented order is answered', async () => {
  const good = await picture(5, 5);
  const limited = await newAccount(server, { storage_limit: 0.01 });
  const free = await newAccount(server, { tier: 'free' });
  await server.upload(good, { object: 'taken' });
  const readOnly = await server.json('/keys/', {
    method: 'POST',
    body: JSON.stringify({ name: 'r', scopes: ['read'] }),
    headers: { 'Content-Type': 'application/json' },
  });
  const notMultipart = { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } };
  assertError(await server.json('/upload/', { ...notMultipart, key: 'wrong' }), 401);
  assertError(await server.json('/upload/', { ...notMultipart, key: readOnly.body.api_key }), 403, {
    code: 'scope_too_small',
  });
  assertError(await server.json('/upload/', notMultipart), 415, { code: 'not_multipart' });
  const text = Buffer.from('hello, this is text');
  assertError(await server.upload(text, { object: '../x' }), 400, { message: 'Invalid object id' });
  assertError(await server.upload(text, { object: 'taken' }), 415);
  assertError(await server.upload(good.subarray(0, -2), { object: 'taken' }), 422);
  const tooLarge = Buffer.concat([good, Buffer.alloc(25 * 1024 * 1024)]);
  assertError(await server.upload(tooLarge, { object: '\u0001' }, { key: free.api_key }), 400);
  const onLimited = { key: limited.api_key };
  assertError(await server.upload(good, { object: 'own' }, onLimited), 403, {
    code: 'storage_limit_exceeded',
  });
  await server.json(`/accounts/${limited.account_id}`, {
    method: 'PATCH',
    body: JSON.stringify({ storage_limit: 100 }),
    headers: { 'Content-Type': 'application/json' },
  });
  assert.equal((await server.upload(good, { object: 'own' }, onLimited)).status, 200);
  await server.json(`/accounts/${limited.account_id}`, {
    method: 'PATCH',
    body: JSON.stringify({ storage_limit: 0 }),
    headers: { 'Content-Type': 'application/json' },
  });
  assertError(await server.upload(good, { object: 'own' }, onLimited), 409);
});

test('over the request rate an upload is 429 before its content is looked at', async () => {
  const account = await newAccount(server, { rate_limit_per_minute: 1 });
  const sent = () =>
    server.json('/upload/', {
      method: 'POST',
      body: 'x',
      headers: { 'Content-Type': 'text/plain' },
      key: account.api_key,
    });
  assertError(await sent(), 415);
  const answer = await sent();
  assertError(answer, 429, { message: 'Rate limit exceeded' });
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
});

function post(body: Buffer) {
  return server.json('/upload/', {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'Content-Type': multipartType, Authorization: `Bearer ${operatorKey}` },
  });
}

test('a field nobody asked for is ignored, whatever it is called', async () => {
  for (const name of ['__proto__', 'constructor', 'other'])
    assert.equal((await server.upload(await picture(8, 8), { [name]: 'x' })).status, 200, name);
});
