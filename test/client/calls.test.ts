// The client against a real service: every operation of the API is called at least once, and answers what its type says.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { objectIdOf, Tintype, type TintypeError } from '../../client/src/index.ts';
import { fileSource } from '../support/file-source.ts';
import { picture } from '../support/pictures.ts';
import { startReceiver } from '../support/receivers.ts';
import { type DescribedPictures, type Searcher, startDescribedPictures } from '../support/search-server.ts';
import { operatorKey } from '../support/server.ts';

let pictures: DescribedPictures;
let account: Searcher;
let tintype: Tintype;
let operator: Tintype;
let file: Uint8Array;
let connect: (key: string | undefined, headers?: Record<string, string>) => Tintype;
let lastCookie = '';
const called = new Set<string>();

/** Notes which operation each request is, by the paths of the document. */
function noting(paths: string[], url: string): typeof connect {
  const patterns = paths
    .filter((path) => !path.startsWith('/{'))
    .toSorted((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
    .map((path) => [path, new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)] as const);
  return (key, headers = {}) =>
    new Tintype({
      url,
      key,
      headers,
      fetch: async (input, init) => {
        const { pathname } = new URL(input as string);
        const path = patterns.find(([, pattern]) => pattern.test(pathname))?.[0];
        called.add(`${init?.method} ${path}`);
        const response = await fetch(input, init);
        lastCookie = response.headers.get('set-cookie') ?? lastCookie;
        return response;
      },
    });
}

before(async () => {
  pictures = await startDescribedPictures({ UPLOAD_ALLOW_PRIVATE: 'on' });
  const { body } = await pictures.server.json('/openapi.json');
  connect = noting(Object.keys(body.paths), pictures.server.url);
  account = await pictures.account();
  tintype = connect(account.api_key);
  operator = connect(operatorKey);
  file = new Uint8Array(await picture(40, 30));
});
after(() => pictures[Symbol.asyncDispose]());

const refusedWith = (code: string, status: number) => (error: TintypeError) => {
  assert.equal(error.name, 'TintypeError');
  assert.equal(error.code, code);
  assert.equal(error.status, status);
  assert.match(error.requestId ?? '', /./);
  return true;
};

describe('uploads', () => {
  test('bytes, with fields and a name', async () => {
    const stored = await tintype.upload(file, {
      fileName: 'sea-side.jpg',
      tags: ['harbour', '1865'],
      folder: 'japan',
      object: 'boats',
    });
    assert.equal(stored.object_id, 'boats');
    assert.deepEqual(stored.tags, ['harbour', '1865']);
    assert.equal(stored.original_file_name, 'sea-side.jpg');
    assert.equal(objectIdOf(stored.object_url), 'boats');
  });

  test('a stream, and a file whose progress is told', async () => {
    const streamed = await tintype.upload(new Blob([file]).stream(), { fileName: 'streamed.jpg' });
    assert.equal(streamed.width, 40);
    const seen: number[] = [];
    const told = await tintype.upload(new File([file], 'told.jpg'), {
      onProgress: ({ sentBytes, totalBytes }) => {
        assert.equal(totalBytes, file.length);
        seen.push(sentBytes);
      },
    });
    assert.equal(told.original_file_name, 'told.jpg');
    assert.equal(seen.at(-1), file.length);
  });

  test('under one Idempotency-Key it is one object', async () => {
    const [one, other] = [
      await tintype.upload(file, { idempotencyKey: 'once' }),
      await tintype.upload(file, { idempotencyKey: 'once' }),
    ];
    assert.equal(one.object_id, other.object_id);
  });

  test('from an address, by token, and what is refused', async () => {
    await using source = await fileSource({ '/a.jpg': (response) => response.end(file) });
    const fetched = await tintype.uploadFromUrl(`${source.url}/a.jpg`, { tags: ['fetched'] });
    assert.equal(fetched.original_file_name, 'a.jpg');
    const { token, upload_url: uploadUrl } = await tintype.signUpload({ folder: 'inbox' });
    const guest = new Tintype({ url: uploadUrl.replace('/upload/', ''), key: token });
    assert.equal((await guest.upload(file)).folder, 'inbox');
    await assert.rejects(tintype.upload(file, { object: 'boats' }), refusedWith('object_id_in_use', 409));
    await assert.rejects(tintype.upload(new Uint8Array()), refusedWith('file_empty', 400));
  });

  test('one that is called off ends at once and leaves nothing', async () => {
    const stop = new AbortController();
    async function* endless() {
      yield file.subarray(0, 100);
      stop.abort(new Error('changed my mind'));
      await new Promise(() => undefined);
    }
    await assert.rejects(
      tintype.upload(endless(), { object: 'never', signal: stop.signal }),
      /changed my mind/,
    );
    await assert.rejects(tintype.get('never'), refusedWith('object_not_found', 404));
  });
});

describe('objects', () => {
  test('listed by page, by tag and all of them', async () => {
    const page = await tintype.list({ page_size: 2, tags: ['harbour'] });
    assert.equal(page.total, 1);
    assert.equal(page.isLast, true);
    assert.deepEqual(
      (await tintype.listByTags(['harbour'])).items.map(({ object_id: id }) => id),
      ['boats'],
    );
    const all = await Array.fromAsync(tintype.listAll({ page_size: 2 }));
    assert.equal(all.length, (await tintype.account.get()).object_count);
    assert.equal(new Set(all.map(({ object_id: id }) => id)).size, all.length);
  });

  test('changed, in bulk too, and named', async () => {
    await tintype.update('boats', { tags: ['sea'], folder: null });
    assert.deepEqual((await tintype.get('boats')).tags, ['sea']);
    const results = await tintype.bulk({ action: 'tag', objects: ['boats', 'nothing'], tags: ['more'] });
    assert.deepEqual(
      results.map(({ status }) => status),
      ['success', 'error'],
    );
    assert.ok((await tintype.tags()).some(({ name, count }) => name === 'more' && count === 1));
    assert.ok((await tintype.folders()).some(({ name }) => name === 'inbox'));
  });

  test('a variant is made, and the object deleted', async () => {
    const variant = await tintype.create('boats', 'w-20.png');
    assert.equal(variant.width, 20);
    assert.equal((await fetch(variant.url)).status, 200);
    await tintype.delete('boats');
    await assert.rejects(tintype.delete('boats'), refusedWith('object_not_found', 404));
  });

  test('found by describing them, and by likeness', async () => {
    await account.add('sailing', 'Boats on a calm sea.');
    await account.add('desert', 'Sand dunes under a hot sun.');
    const { pictures: count } = await tintype.account.analysis();
    await account.analysed(count);
    const [first] = await tintype.search('boats on the sea', { threshold: 0 });
    assert.equal(first?.objectId, 'sailing');
    assert.equal(first.caption, 'Boats on a calm sea.');
    assert.ok(first.similarity > 0.5);
    const alike = await tintype.searchLike('desert', { threshold: 0, limit: 1 });
    assert.equal(alike.length, 1);
    assert.equal((await tintype.account.analyseAgain()).failed, 0);
  });
});

describe('the account', () => {
  test('settings, and what they refuse', async () => {
    const changed = await tintype.account.change({ presets: { card: 'w-300_h-200' } });
    assert.deepEqual(changed.presets, { card: 'w-300_h-200' });
    await assert.rejects(
      tintype.account.change({ presets: { card: 'nonsense' } }),
      refusedWith('invalid_transformation', 400),
    );
  });

  test('keys', async () => {
    const made = await tintype.keys.create({ name: 'website', scopes: ['read'] });
    const rotated = await tintype.keys.rotate(made.key_id, { grace_seconds: 0 });
    assert.notEqual(rotated.api_key, made.api_key);
    assert.ok((await tintype.keys.list()).some(({ key_id: id }) => id === made.key_id));
    await tintype.keys.revoke(made.key_id);
    const revoked = new Tintype({ url: pictures.server.url, key: rotated.api_key });
    await assert.rejects(revoked.account.get(), refusedWith('invalid_api_key', 401));
  });

  test('a session, as a page of the service has it', async () => {
    let cookie = '';
    const inPage = connect(undefined, {
      'X-Tintype-Page': '1',
      get Cookie() {
        return cookie;
      },
    });
    await assert.rejects(inPage.session.get(), refusedWith('invalid_api_key', 401));
    const begun = await inPage.session.signIn(account.api_key);
    assert.deepEqual(begun.scopes, ['read', 'write', 'account']);
    cookie = lastCookie;
    assert.equal((await inPage.account.get()).account_id, account.account_id);
    assert.equal((await inPage.session.get()).key_id, begun.key_id);
    await inPage.session.signOut();
    assert.match(lastCookie, /^tintype_session=;/);
  });

  test('webhooks and their deliveries', async () => {
    await using receiver = await startReceiver();
    const made = await tintype.webhooks.create({ url: receiver.url, events: ['object.created'] });
    const rotated = await tintype.webhooks.rotate(made.webhook_id);
    assert.notEqual(rotated.secret, made.secret);
    assert.equal((await tintype.webhooks.test(made.webhook_id)).state, 'delivered');
    const { deliveries, nextCursor } = await tintype.webhooks.deliveries(made.webhook_id, { limit: 10 });
    assert.equal(nextCursor, null);
    await tintype.webhooks.resend(made.webhook_id, deliveries[0]?.delivery_id ?? '');
    assert.equal((await tintype.webhooks.list()).length, 1);
    await tintype.webhooks.delete(made.webhook_id);
    assert.deepEqual(await tintype.webhooks.list(), []);
  });

  test('accounts, for the operator', async () => {
    const made = await operator.accounts.create({ email: 'ada@example.com', tier: 'free' });
    const changed = await operator.accounts.change(made.account_id, { tier: 'pro' });
    assert.equal(changed.tier, 'pro');
    assert.equal((await operator.accounts.get(made.account_id)).email, 'ada@example.com');
    assert.match((await operator.accounts.delete(made.account_id)).erase_at, /^\d{4}-/);
    assert.ok((await operator.accounts.list()).length >= 2);
    await assert.rejects(tintype.accounts.list(), refusedWith('scope_too_small', 403));
  });

  test('and whether the service is well', async () => {
    assert.equal((await tintype.health()).checks?.['database'], 'ok');
  });
});

test('a resumable upload that breaks off, goes on, loses its last answer, and one that is given up', async () => {
  const large = new Blob([await picture(900, 700, 'png')]);
  const chunkBytes = Math.ceil(large.size / 4);
  let begun = '';
  const stop = new AbortController();
  const first = tintype.uploadResumable(large, {
    chunkBytes,
    fileName: 'höhe.png',
    tags: ['large', 'grün'],
    signal: stop.signal,
    onBegin: (address) => (begun = address),
    onProgress: ({ sentBytes }) => sentBytes >= 2 * chunkBytes && stop.abort(new Error('paused')),
  });
  await assert.rejects(first, /paused/);
  const sent: number[] = [];
  const stored = await tintype.uploadResumable(large, {
    resume: begun,
    chunkBytes,
    onProgress: ({ sentBytes }) => sent.push(sentBytes),
  });
  assert.deepEqual(sent, [3 * chunkBytes, large.size]);
  assert.equal(stored.original_file_name, 'höhe.png');
  assert.deepEqual(stored.tags, ['large', 'grün']);
  assert.deepEqual(await tintype.uploadResumable(large, { resume: begun }), stored);
  assert.equal((await fetch(stored.original)).headers.get('content-length'), String(large.size));

  const givenUp = new AbortController();
  const second = tintype.uploadResumable(large, {
    chunkBytes,
    signal: givenUp.signal,
    onBegin: (address) => (begun = address),
    onProgress: () => givenUp.abort(new Error('given up')),
  });
  await assert.rejects(second, /given up/);
  await tintype.cancelResumable(begun);
  await assert.rejects(
    tintype.uploadResumable(large, { resume: begun }),
    refusedWith('upload_not_found', 404),
  );
});

test('every operation of the API has been called', async () => {
  const { body } = await pictures.server.json('/openapi.json');
  const operations = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, item]) =>
    ['get', 'post', 'patch', 'delete']
      .filter((method) => item[method] && !path.startsWith('/{'))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.ok(operations.length > 30);
  assert.deepEqual(
    operations.filter((name) => !called.has(name)),
    [],
  );
});
