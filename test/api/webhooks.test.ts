// Webhooks as an account uses them: over HTTP, with receivers that are real servers.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { newAccount, sendJson, type TestAccount } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startServer, type TestServer } from '../support/server.ts';

const everything = [
  'video.ready',
  'video.failed',
  'object.created',
  'object.deleted',
  'image.analyzed',
  'storage.warning',
];

let server: TestServer;
let account: TestAccount;
before(async () => {
  server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'on' });
});
after(() => server.stop());
beforeEach(async () => {
  account = await newAccount(server);
});

const get = (path: string) => server.json(path, { key: account.api_key });
const post = (path: string, body?: unknown) =>
  server.json(path, {
    ...(body === undefined ? { method: 'POST' } : sendJson('POST', body)),
    key: account.api_key,
  });
const patchUser = (body: unknown) =>
  server.json('/user/', { ...sendJson('PATCH', body), key: account.api_key });
const remove = (path: string) => server.json(path, { method: 'DELETE', key: account.api_key });
const upload = async (fields: Record<string, string> = {}) =>
  server.upload(await picture(8, 6), fields, { key: account.api_key });

async function newWebhook(url: string, events?: string[]): Promise<{ webhook_id: string; secret: string }> {
  const { status, body } = await post('/webhooks/', { url, ...(events ? { events } : {}) });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
const arrived = (receiver: Receiver, count: number) =>
  eventually(() => {
    assert.equal(receiver.received.length, count);
    return receiver.received;
  });

describe('endpoints', () => {
  test('are made with a secret that is shown once, and listed without', async () => {
    const made = await post('/webhooks/', { url: 'https://hooks.example.com/a' });
    assert.equal(made.status, 200);
    assert.deepEqual(Object.keys(made.body), ['webhook_id', 'url', 'events', 'enabled', 'secret']);
    assert.match(made.body.webhook_id, /^wh_[0-9a-f]{16}$/);
    assert.match(made.body.secret, /^whsec_[A-Za-z0-9+/]{32}$/);
    assert.deepEqual(made.body.events, ['video.ready', 'video.failed']);
    const second = await newWebhook('https://hooks.example.com/b', [...everything, 'video.ready']);
    const { body } = await get('/webhooks/');
    assert.deepEqual(
      body.webhooks.map((each: any) => [each.webhook_id, each.url, each.events, each.enabled, each.source]),
      [
        [made.body.webhook_id, 'https://hooks.example.com/a', ['video.ready', 'video.failed'], true, 'api'],
        [second.webhook_id, 'https://hooks.example.com/b', everything, true, 'api'],
      ],
    );
    assert.ok(!JSON.stringify(body).includes('whsec_'));
    assert.deepEqual((await remove(`/webhooks/${made.body.webhook_id}`)).body, {
      webhook_id: made.body.webhook_id,
      status: 'success',
    });
    assertError(await remove(`/webhooks/${made.body.webhook_id}`), 404, { code: 'webhook_not_found' });
    assert.equal((await get('/webhooks/')).body.webhooks.length, 1);
  });

  test('what is wrong is refused with a sentence', async () => {
    const url = 'https://hooks.example.com/';
    const wrong: [unknown, RegExp][] = [
      [{}, /"url"/],
      [{ url: '' }, /"url" must be an address/],
      [{ url: 5 }, /"url" must be an address/],
      [{ url: 'ftp://example.com' }, /begins with http/],
      [{ url: 'https://user:pass@example.com' }, /user name/],
      [{ url: `https://example.com/${'x'.repeat(2048)}` }, /"url" must be an address/],
      [{ url, events: [] }, /"events" must be a list of video\.ready/],
      [{ url, events: 'video.ready' }, /"events" must be a list/],
      [{ url, events: ['webhook.test'] }, /"events" must be a list/],
      [{ url, events: ['video.ready', 5] }, /"events" must be a list/],
      [{ url, secret: 'whsec_mine' }, /"secret" is not known/],
    ];
    for (const [body, sentence] of wrong) {
      const answer = await post('/webhooks/', body);
      assertError(answer, 400);
      assert.match(answer.body.error, sentence);
    }
    for (const path of ['rotate', 'test', 'deliveries/whd_0/resend'])
      assertError(await post(`/webhooks/wh_nobody/${path}`), 404, { code: 'webhook_not_found' });
    assertError(await get('/webhooks/wh_nobody/deliveries'), 404, { code: 'webhook_not_found' });
    assert.deepEqual((await get('/webhooks/')).body, { webhooks: [] });
  });

  test('an account can have twenty', async () => {
    for (let index = 0; index < 20; index++) await newWebhook(`https://hooks.example.com/${index}`);
    assertError(await post('/webhooks/', { url: 'https://hooks.example.com/x' }), 409, {
      code: 'too_many_webhooks',
    });
    assert.equal((await patchUser({ webhook_url: 'https://hooks.example.com/own' })).status, 200);
  });

  test('the address of the settings is one of them', async () => {
    await using receiver = await startReceiver();
    const { webhook_secret: secret } = (await patchUser({ webhook_url: receiver.url })).body;
    const [own] = (await get('/webhooks/')).body.webhooks;
    assert.deepEqual(
      [own.url, own.source, own.events, own.enabled],
      [receiver.url, 'settings', ['video.ready', 'video.failed'], true],
    );
    assert.equal((await post(`/webhooks/${own.webhook_id}/test`)).body.state, 'delivered');
    receiver.verify(receiver.received[0]!, secret);
    assertError(await remove(`/webhooks/${own.webhook_id}`), 409, { code: 'conflict' });
    await patchUser({ webhook_url: `${receiver.url}/b`, email: 'b@example.com' });
    const [moved] = (await get('/webhooks/')).body.webhooks;
    assert.deepEqual([moved.webhook_id, moved.url], [own.webhook_id, `${receiver.url}/b`]);
    await post(`/webhooks/${own.webhook_id}/test`);
    receiver.verify(receiver.received[1]!, secret);
    await patchUser({ webhook_url: null });
    assert.deepEqual((await get('/webhooks/')).body, { webhooks: [] });
  });
});

describe('addresses', () => {
  test('those that lead inside are refused unless the operator allows them', async () => {
    await using guarded = await startServer();
    const { api_key: key } = await newAccount(guarded);
    for (const url of [
      'http://127.0.0.1/',
      'http://[::ffff:7f00:1]/',
      'http://0x7f.1/',
      'http://x.internal/',
    ]) {
      const answer = await guarded.json('/webhooks/', { ...sendJson('POST', { url }), key });
      assertError(answer, 400);
      assert.match(answer.body.error, /public internet/);
    }
  });

  test('one that was stored all the same is refused when it is called', async () => {
    await using guarded = await startServer();
    await using receiver = await startReceiver();
    const { api_key: key } = await newAccount(guarded);
    const made = await guarded.json('/webhooks/', {
      ...sendJson('POST', { url: 'https://example.com' }),
      key,
    });
    await guarded.app.core.database.write((tx) =>
      tx.updateTable('webhooks').set({ url: receiver.url }).execute(),
    );
    const { body } = await guarded.json(`/webhooks/${made.body.webhook_id}/test`, { method: 'POST', key });
    assert.deepEqual(
      [body.state, body.status, body.error],
      ['failed', null, 'the address is not on the public internet'],
    );
    assert.deepEqual(receiver.received, []);
  });
});

describe('events', () => {
  test('of uploads and deletions reach those who subscribed, signed, and nobody else', async () => {
    await using receiver = await startReceiver();
    await using other = await startReceiver();
    const hook = await newWebhook(receiver.url, ['object.created', 'object.deleted']);
    await newWebhook(other.url);
    const { body: stored } = await upload({ object: 'cat', tags: 'a,b', folder: 'pets' });
    const [created] = await arrived(receiver, 1);
    receiver.verify(created!, hook.secret);
    assert.equal(created!.event.type, 'object.created');
    assert.ok(Math.abs(Date.parse(created!.event.timestamp) - Date.now()) < 60_000);
    assert.deepEqual(created!.event.data, {
      object_id: 'cat',
      object_url: stored.object_url,
      original: stored.original,
      video_url: null,
      status: 'ready',
      duration: null,
      width: 8,
      height: 6,
      renditions: null,
      tags: ['a', 'b'],
      folder: 'pets',
      error: null,
    });
    assert.equal(created!.headers['content-type'], 'application/json');
    await remove('/delete/cat');
    const [, deleted] = await arrived(receiver, 2);
    receiver.verify(deleted!, hook.secret);
    assert.deepEqual([deleted!.event.type, deleted!.event.data], ['object.deleted', created!.event.data]);
    assert.notEqual(deleted!.id, created!.id);
    assert.deepEqual(other.received, []);
    const log = await eventually(async () => {
      const { body } = await get(`/webhooks/${hook.webhook_id}/deliveries`);
      assert.deepEqual(
        body.deliveries.map((each: any) => [
          each.delivery_id,
          each.type,
          each.state,
          each.attempts,
          each.status,
        ]),
        [
          [deleted!.id, 'object.deleted', 'delivered', 1, 200],
          [created!.id, 'object.created', 'delivered', 1, 200],
        ],
      );
      return body;
    });
    assert.deepEqual(log.deliveries[1].payload, created!.event);
  });

  test('that nobody wants are not written down, nor those of a refused upload', async () => {
    await using receiver = await startReceiver();
    await upload();
    await newWebhook(receiver.url, ['object.created']);
    const first = await upload({ object: 'mine' });
    assert.equal(first.status, 200);
    assert.equal((await upload({ object: 'mine' })).status, 409);
    await arrived(receiver, 1);
    const { database } = server.app.core;
    const mine = await database.read
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.webhook_id', 'webhook_deliveries.webhook_id')
      .select('delivery_id')
      .where('account_id', '=', account.account_id)
      .execute();
    assert.equal(mine.length, 1);
    assert.deepEqual(await database.read.selectFrom('events').selectAll().execute(), []);
  });

  test('a repeat under the same Idempotency-Key tells of nothing new', async () => {
    await using receiver = await startReceiver();
    await newWebhook(receiver.url, ['object.created']);
    const file = await picture(9, 9);
    const headers = { 'Idempotency-Key': 'once' };
    const send = () => server.upload(file, {}, { key: account.api_key, headers });
    const [one, two] = await Promise.all([send(), send()]);
    assert.equal(one.body.object_id, two.body.object_id);
    await upload({ object: 'last' });
    await arrived(receiver, 2);
  });
});

describe('deliveries', () => {
  test('a test is sent at once, once, and its outcome answered', async () => {
    await using receiver = await startReceiver();
    const { webhook_id: id, secret } = await newWebhook(receiver.url);
    const { body: good } = await post(`/webhooks/${id}/test`);
    assert.deepEqual(
      [good.type, good.state, good.status, good.attempts],
      ['webhook.test', 'delivered', 200, 1],
    );
    assert.ok(good.duration_ms >= 0 && good.delivered_at !== null && good.next_attempt_at === null);
    receiver.verify(receiver.received[0]!, secret);
    assert.deepEqual(receiver.received[0]!.event.data, { webhook_id: id });
    for (const status of [500, 302, 404, 304]) {
      receiver.answerWith(status);
      const { body: bad } = await post(`/webhooks/${id}/test`);
      assert.deepEqual(
        [bad.state, bad.status, bad.error, bad.next_attempt_at],
        ['failed', status, `answered ${status}`, null],
      );
    }
    assert.equal(receiver.received.length, 5, 'no redirect was followed, nothing tried twice');
  });

  test('after a rotation both secrets sign', async () => {
    await using receiver = await startReceiver();
    const { webhook_id: id, secret: old } = await newWebhook(receiver.url);
    const rotated = await post(`/webhooks/${id}/rotate`);
    assert.deepEqual(Object.keys(rotated.body), ['webhook_id', 'url', 'events', 'enabled', 'secret']);
    assert.notEqual(rotated.body.secret, old);
    await post(`/webhooks/${id}/test`);
    const [one] = receiver.received;
    assert.equal(String(one!.headers['webhook-signature']).split(' ').length, 2);
    receiver.verify(one!, old);
    receiver.verify(one!, rotated.body.secret);
    await server.app.core.database.write((tx) =>
      tx
        .updateTable('webhooks')
        .set({ previous_until: Date.now() - 1 })
        .where('webhook_id', '=', id)
        .execute(),
    );
    await post(`/webhooks/${id}/test`);
    receiver.verify(receiver.received[1]!, rotated.body.secret);
    assert.throws(() => receiver.verify(receiver.received[1]!, old));
  });

  test('one that failed is sent again on request, under the same id', async () => {
    await using receiver = await startReceiver();
    receiver.answerWith(503);
    const { webhook_id: id, secret } = await newWebhook(receiver.url, ['object.created']);
    await upload();
    await arrived(receiver, 1);
    const [waiting] = await eventually(async () => {
      const { deliveries } = (await get(`/webhooks/${id}/deliveries`)).body;
      assert.equal(deliveries[0].attempts, 1);
      return deliveries;
    });
    assert.deepEqual([waiting.state, waiting.status, waiting.error], ['waiting', 503, 'answered 503']);
    const inMs = Date.parse(waiting.next_attempt_at) - Date.now();
    assert.ok(inMs > 1000 && inMs <= 5000, `in ${inMs} ms`);
    receiver.answerWith(204);
    const again = await post(`/webhooks/${id}/deliveries/${waiting.delivery_id}/resend`);
    assert.equal(again.body.state, 'waiting');
    const [first, second] = await arrived(receiver, 2);
    assert.deepEqual([second!.id, second!.body], [first!.id, first!.body]);
    receiver.verify(second!, secret);
    await eventually(async () => {
      const { deliveries } = (await get(`/webhooks/${id}/deliveries`)).body;
      assert.deepEqual([deliveries[0].state, deliveries[0].status], ['delivered', 204]);
    });
    assertError(await post(`/webhooks/${id}/deliveries/whd_other/resend`), 404, {
      code: 'delivery_not_found',
    });
  });

  test('410 switches the endpoint off; setting the address again switches it on', async () => {
    await using receiver = await startReceiver();
    receiver.answerWith(410);
    const { webhook_id: id } = await newWebhook(receiver.url, ['object.created']);
    await upload();
    await arrived(receiver, 1);
    await eventually(async () => {
      const [webhook] = (await get('/webhooks/')).body.webhooks;
      assert.deepEqual([webhook.enabled, webhook.disabled_reason], [false, 'The receiver answered 410 Gone']);
    });
    await upload();
    assertError(await post(`/webhooks/${id}/test`), 409, { code: 'webhook_disabled' });
    await patchUser({ webhook_url: receiver.url });
    const own = (await get('/webhooks/')).body.webhooks.find((each: any) => each.source === 'settings');
    await post(`/webhooks/${own.webhook_id}/test`);
    assertError(await post(`/webhooks/${own.webhook_id}/test`), 409, { code: 'webhook_disabled' });
    await patchUser({ webhook_url: receiver.url });
    receiver.answerWith(200);
    assert.equal((await post(`/webhooks/${own.webhook_id}/test`)).body.state, 'delivered');
    assert.equal(receiver.received.length, 3);
  });

  test('are listed newest first, page by page', async () => {
    await using receiver = await startReceiver();
    const { webhook_id: id } = await newWebhook(receiver.url);
    const made: string[] = [];
    for (let index = 0; index < 5; index++)
      made.unshift((await post(`/webhooks/${id}/test`)).body.delivery_id);
    const seen: string[] = [];
    let path: string | undefined = `/webhooks/${id}/deliveries?limit=2`;
    const sizes: number[] = [];
    while (path) {
      const { body, headers } = await get(path);
      seen.push(...body.deliveries.map((each: any) => each.delivery_id));
      sizes.push(body.deliveries.length);
      path = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(seen, made);
    assert.deepEqual(sizes, [2, 2, 1]);
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense'])
      assertError(await get(`/webhooks/${id}/deliveries?${query}`), 400);
  });

  test('one hanging receiver of fifty delays nobody', async () => {
    await using hanging = await startReceiver();
    hanging.answerWith(0);
    const receivers = await Promise.all(Array.from({ length: 49 }, () => startReceiver()));
    await using _all = {
      [Symbol.asyncDispose]: async () =>
        void (await Promise.all(receivers.map((each) => each[Symbol.asyncDispose]()))),
    };
    // Twenty endpoints an account, so three accounts.
    const accounts = await Promise.all(Array.from({ length: 3 }, () => newAccount(server)));
    for (const [index, receiver] of [hanging, ...receivers].entries()) {
      const body = { url: receiver.url, events: ['object.created'] };
      await server.json('/webhooks/', {
        ...sendJson('POST', body),
        key: accounts[Math.floor(index / 20)]!.api_key,
      });
    }
    const file = await picture(5, 5);
    const rounds = 5;
    for (let round = 0; round < rounds; round++)
      for (const { api_key: key } of accounts) await server.upload(file, {}, { key });
    const uploadedAt = Date.now();
    await eventually(() => {
      for (const { received } of receivers) assert.equal(received.length, rounds);
    }, 10_000);
    assert.ok(Date.now() - uploadedAt < 5000, `took ${Date.now() - uploadedAt} ms`);
    assert.ok(hanging.received.length >= 1, 'the hanging one was called too');
  });
});

test('metrics tell what waits and what became of deliveries', async () => {
  const text = await (await server.call('/metrics')).text();
  for (const name of ['waiting', 'done', 'failed'])
    assert.match(text, new RegExp(`^tintype_webhook_deliveries_${name} \\d+$`, 'm'));
});
