import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { freePort } from '../../test/support/free-port.ts';
import { type Receiver, startReceiver } from '../../test/support/receivers.ts';
import { openTempDatabase, type TempDatabase } from '../../test/support/temp-database.ts';
import { createAccount } from '../accounts/accounts.ts';
import { createSecretBox } from '../platform/secrets.ts';
import type { DeliveryParts } from './attempt-delivery.ts';
import { resendDelivery } from './deliveries.ts';
import { deliverDue } from './deliver-webhooks.ts';
import { createEndpoint } from './endpoints.ts';
import type { EventType } from './event-types.ts';
import { fanOut } from './fan-out.ts';
import { firstDeliveryIdAt } from './new-delivery.ts';
import { recordEvent } from './record-event.ts';
import { sweepDeliveries } from './sweep-deliveries.ts';
import type { WebhookDelivery } from './tables.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let temp: TempDatabase;
let receiver: Receiver;
let accountId: string;
let parts: DeliveryParts;
/** What the code takes for the time. */
let clock: number;
let changed: string[];
before(async () => {
  temp = await openTempDatabase();
});
after(() => temp[Symbol.asyncDispose]());
beforeEach(async () => {
  clock = Date.now();
  changed = [];
  parts = {
    database: temp.database,
    secretBox: createSecretBox('a secret key for tests'),
    allowPrivate: true,
    endpointsChanged: async (_tx, id) => void changed.push(id),
    now: () => clock,
    deadlineMs: 300,
  };
  const { account } = await createAccount(temp.database, { email: 'hooks@example.com' });
  accountId = account.account_id;
});

async function listening(url: string, types: EventType[] = ['object.created']) {
  const { endpoint, secret } = await createEndpoint(parts, accountId, { url, types });
  return { id: endpoint.webhook_id, secret };
}
async function happen(count = 1, data: object = {}): Promise<void> {
  for (let index = 0; index < count; index++)
    await temp.database.write((tx) => recordEvent(tx, { accountId, type: 'object.created', data }));
  await fanOut(temp.database, () => clock);
}
const deliveriesOf = (webhookId: string): Promise<WebhookDelivery[]> =>
  temp.database.read
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('delivery_id')
    .execute();
const jobOf = (webhookId: string) =>
  temp.database.read.selectFrom('jobs').selectAll().where('key', '=', webhookId).executeTakeFirst();

describe('the schedule', () => {
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  const close = () => receiver[Symbol.asyncDispose]();

  test('a receiver that fails is tried ten times, at the times promised, always under the same id', async () => {
    await using _closing = { [Symbol.asyncDispose]: close };
    const { id, secret } = await listening(receiver.url);
    await happen();
    receiver.answerWith(500);
    const waits: number[] = [];
    for (;;) {
      await deliverDue(parts, id);
      const [delivery] = await deliveriesOf(id);
      if (delivery?.state !== 'waiting') break;
      assert.equal((await jobOf(id))?.run_at, delivery.next_at, 'the job comes back for it');
      waits.push(delivery.next_at - clock);
      clock = delivery.next_at - 1;
      await deliverDue(parts, id);
      assert.equal(receiver.received.length, waits.length, 'not a moment too early');
      clock += 1;
    }
    const hours = [2, 5, 10, 14, 20, 24].map((each) => each * hourMs);
    assert.deepEqual(waits, [5 * secondMs, 5 * minuteMs, 30 * minuteMs, ...hours]);
    const [failed] = await deliveriesOf(id);
    assert.deepEqual(
      [failed?.state, failed?.attempts, failed?.last_status, failed?.last_error],
      ['failed', 10, 500, 'answered 500'],
    );
    assert.equal(receiver.received.length, 10);
    assert.equal(new Set(receiver.received.map((each) => `${each.id} ${each.body}`)).size, 1);
    // The package refuses old times: the first attempt is the one made at the real time.
    receiver.verify(receiver.received[0]!, secret);
    const times = receiver.received.map((each) => Number(each.headers['webhook-timestamp']));
    assert.equal(times.at(-1)! - times[0]!, Math.round(waits.reduce((sum, each) => sum + each, 0) / 1000));
    await deliverDue(parts, id);
    assert.equal(receiver.received.length, 10, 'never again');
  });

  test('success after failures ends it', async () => {
    await using _closing = { [Symbol.asyncDispose]: close };
    const { id } = await listening(receiver.url);
    await happen();
    for (const status of [302, 429, 201]) {
      receiver.answerWith(status);
      await deliverDue(parts, id);
      clock = (await deliveriesOf(id))[0]!.next_at;
    }
    const [delivery] = await deliveriesOf(id);
    assert.deepEqual([delivery?.state, delivery?.attempts, delivery?.last_status], ['delivered', 3, 201]);
    assert.equal(delivery?.last_error, null);
  });

  test('nobody there, no answer in time, a secret that cannot be opened: failures that say so', async () => {
    await using _closing = { [Symbol.asyncDispose]: close };
    const nobody = await listening(`http://127.0.0.1:${await freePort()}/`);
    receiver.answerWith(0);
    const hanging = await listening(receiver.url);
    const sealedElsewhere = await listening(receiver.url);
    await temp.database.write((tx) =>
      tx
        .updateTable('webhooks')
        .set({ secret_sealed: createSecretBox('another key').seal('whsec_AAAA') })
        .where('webhook_id', '=', sealedElsewhere.id)
        .execute(),
    );
    await happen();
    const errors = await Promise.all(
      [nobody, hanging, sealedElsewhere].map(async ({ id }) => {
        await deliverDue(parts, id);
        const [delivery] = await deliveriesOf(id);
        assert.deepEqual([delivery?.state, delivery?.last_status], ['waiting', null]);
        return delivery?.last_error;
      }),
    );
    assert.deepEqual(errors, [
      'no connection (ECONNREFUSED)',
      'no answer within 0.3 s',
      'the secret cannot be opened any more; rotate it',
    ]);
  });

  test('410 ends all that waits for the endpoint, and says so to who keeps the endpoints', async () => {
    await using _closing = { [Symbol.asyncDispose]: close };
    const { id } = await listening(receiver.url);
    await happen(10);
    receiver.answerWith(410);
    changed = [];
    await deliverDue(parts, id);
    assert.ok(receiver.received.length <= 4);
    assert.deepEqual(
      (await deliveriesOf(id)).map(({ state }) => state),
      Array.from({ length: 10 }, () => 'failed'),
    );
    assert.ok(changed.includes(accountId));
    await happen();
    assert.equal((await deliveriesOf(id)).length, 10, 'it gets nothing more');
  });

  test('sent again while an attempt is under way: the new wish stands', async () => {
    await using _closing = { [Symbol.asyncDispose]: close };
    const { id } = await listening(receiver.url);
    await happen();
    const [delivery] = await deliveriesOf(id);
    clock += 50;
    let asked = Promise.resolve<unknown>(null);
    receiver.answerWith(() => {
      const which = { webhookId: id, deliveryId: delivery!.delivery_id };
      if (receiver.received.length === 0) asked = resendDelivery(temp.database, accountId, which);
      return 0;
    });
    await deliverDue(parts, id);
    await asked;
    const [after] = await deliveriesOf(id);
    assert.equal(receiver.received.length, 2, 'it was sent again');
    assert.deepEqual([after?.state, after?.attempts], ['waiting', 1], 'and counted anew');
  });
});

describe('handing out', () => {
  test('hundreds of events go to every endpoint subscribed at that moment, each once', async () => {
    const early = await listening('https://a.example.com/');
    const other = await listening('https://b.example.com/', ['object.deleted']);
    const record = (eventId?: string) =>
      temp.database.write((tx) =>
        recordEvent(tx, { accountId, type: 'object.created', data: {}, ...(eventId ? { eventId } : {}) }),
      );
    for (let index = 0; index < 250; index++) await record();
    const late = await listening('https://c.example.com/');
    await record('evt_same');
    await record('evt_same');
    assert.equal(await fanOut(temp.database), 251);
    await record('evt_same');
    assert.equal(await fanOut(temp.database), 1);
    for (const { id } of [early, late]) assert.equal((await deliveriesOf(id)).length, 251);
    assert.deepEqual(await deliveriesOf(other.id), []);
    assert.equal(await jobOf(other.id), undefined);
    assert.ok((await jobOf(early.id))!.run_at <= Date.now());
  });

  test('an account that is erased takes endpoints and deliveries along', async () => {
    const { id } = await listening('https://a.example.com/');
    await happen(3);
    await temp.database.write(async (tx) => {
      await recordEvent(tx, { accountId, type: 'object.created', data: {} });
      await tx.deleteFrom('keys').where('account_id', '=', accountId).execute();
      await tx.deleteFrom('accounts').where('account_id', '=', accountId).execute();
    });
    assert.deepEqual(await deliveriesOf(id), []);
    assert.equal(await fanOut(temp.database), 1);
    await deliverDue(parts, id);
  });

  test('deliveries go after thirty days', async () => {
    const { id } = await listening('https://a.example.com/');
    await happen(2);
    const [old, young] = await deliveriesOf(id);
    const rename = (from: string, at: number) =>
      temp.database.write((tx) =>
        tx
          .updateTable('webhook_deliveries')
          .set({ delivery_id: firstDeliveryIdAt(at) + '0'.repeat(12), created_at: at })
          .where('delivery_id', '=', from)
          .execute(),
      );
    await rename(old!.delivery_id, clock - 30 * dayMs - 1);
    await rename(young!.delivery_id, clock - 30 * dayMs + 1000);
    assert.equal(await sweepDeliveries(temp.database, clock), 1);
    assert.equal((await deliveriesOf(id)).length, 1);
  });
});
