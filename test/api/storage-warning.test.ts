// The notice that storage is nearly full: by mail in a real SMTP conversation, and as an event; once per crossing.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newAccount, sendJson, type TestAccount } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { picture } from '../support/pictures.ts';
import { startReceiver } from '../support/receivers.ts';
import { startServer, type TestServer } from '../support/server.ts';

let mailServer: MailServer;
let server: TestServer;
let small: Buffer;
const login = { name: 'tintype@example.com', password: 'p@ss:wörd-canary' };
const logLines: string[] = [];
before(async () => {
  small = await picture(4, 4);
  mailServer = await startMailServer({ user: login });
  server = await startServer(
    { SMTP_URL: mailServer.url, MAIL_FROM: 'Tintype <hello@tintype.test>', WEBHOOK_ALLOW_PRIVATE: 'on' },
    { logLines },
  );
});
after(async () => {
  await server.stop();
  await mailServer[Symbol.asyncDispose]();
});

/** A picture of exactly that many bytes: what follows its end is kept as it is. */
const ofBytes = (bytes: number): Buffer => Buffer.concat([small, Buffer.alloc(bytes - small.length)]);
const store = async (account: TestAccount, bytes: number, on = server): Promise<string> => {
  const { status, body } = await on.upload(ofBytes(bytes), {}, { key: account.api_key });
  assert.equal(status, 200, JSON.stringify(body));
  return body.object_id;
};
const drop = async (account: TestAccount, objectId: string): Promise<void> => {
  const answer = await server.json(`/delete/${objectId}`, { method: 'DELETE', key: account.api_key });
  assert.equal(answer.status, 200);
};
const mailsTo = (email: string, from = mailServer) => from.mails.filter(({ to }) => to.includes(email));
/** All that could still make a mail is done. */
const settled = (on = server) =>
  eventually(async () => {
    const read = on.app.core.database.read;
    const jobs = await read.selectFrom('jobs').select('kind').where('kind', '=', 'storage-warning').execute();
    assert.deepEqual(jobs, []);
  }, 20_000);
let count = 0;
const withLimit = async (kilobytes: number, on = server) => {
  const email = `full-${++count}@example.com`;
  return { email, account: await newAccount(on, { email, storage_limit: kilobytes }) };
};

describe('the mail', () => {
  test('names the percentage, what is used and the limit, and comes at 95% and not before', async () => {
    const { email, account } = await withLimit(100);
    await store(account, 97_279);
    await settled();
    assert.deepEqual(mailsTo(email), [], '97279 of 102400 bytes are 94.999%');
    const padding = await store(account, 4000);
    await settled();
    const [mail, ...more] = mailsTo(email);
    assert.deepEqual(more, []);
    assert.equal(mail?.from, 'hello@tintype.test');
    assert.equal(mail?.headers['subject'], 'Your Tintype storage is 98% full');
    assert.match(mail?.headers['from'] ?? '', /Tintype <hello@tintype\.test>/);
    assert.match(mail?.text ?? '', /98% full: 98\.91 KB of 100 KB are used/);
    await drop(account, padding);
    await store(account, 4000);
    await settled();
    assert.equal(mailsTo(email).length, 1, 'it never fell below 90%');
  });

  test('comes at exactly 95%', async () => {
    const { email, account } = await withLimit(100);
    await store(account, 97_280);
    await settled();
    assert.match(mailsTo(email)[0]?.headers['subject'] ?? '', /95% full/);
  });

  test('comes again only after use fell below 90%', async () => {
    const { email, account } = await withLimit(100);
    const large = await store(account, 92_160);
    const rest = await store(account, 8000);
    await settled();
    assert.equal(mailsTo(email).length, 1);
    await drop(account, rest);
    await store(account, 8000);
    await settled();
    assert.equal(mailsTo(email).length, 1, 'exactly 90% is not below');
    await drop(account, large);
    await store(account, 92_160);
    await settled();
    assert.equal(mailsTo(email).length, 2);
    assert.equal(new Set(mailsTo(email).map(({ headers }) => headers['message-id'])).size, 2);
  });

  test('comes once however many uploads cross the line together', async () => {
    const rounds = await Promise.all(Array.from({ length: 4 }, () => withLimit(100)));
    await Promise.all(
      rounds.map(async ({ account }) => {
        await store(account, 80_000);
        await Promise.all(
          Array.from({ length: 24 }, () => server.upload(ofBytes(1000), {}, { key: account.api_key })),
        );
      }),
    );
    await settled();
    for (const { email, account } of rounds) {
      const { body } = await server.json('/user/', { key: account.api_key });
      assert.ok(body.storage_used >= 95 && body.storage_used <= 100);
      assert.equal(mailsTo(email).length, 1);
    }
  });

  test('follows the limit when the operator changes it', async () => {
    const { email, account } = await withLimit(1000);
    const change = (terms: object) =>
      server.json(`/accounts/${account.account_id}`, sendJson('PATCH', terms));
    await store(account, 100_000);
    await change({ rate_limit_per_minute: 500 });
    await settled();
    assert.equal(mailsTo(email).length, 0);
    await change({ storage_limit: 100 });
    await settled();
    assert.match(mailsTo(email)[0]?.text ?? '', /97% full: 97\.66 KB of 100 KB/);
    await change({ storage_limit: 99 });
    await store(account, 400);
    await settled();
    assert.equal(mailsTo(email).length, 1, 'it knows already');
    for (const roomy of [{ storage_limit: 1000 }, { storage_limit: null }]) {
      const before = mailsTo(email).length;
      await change(roomy);
      await change({ storage_limit: 100 });
      await settled();
      assert.equal(mailsTo(email).length, before + 1, JSON.stringify(roomy));
    }
    await change({ storage_limit: 0 });
    await settled();
  });

  test('an upload that is refused tells nobody', async () => {
    const { email, account } = await withLimit(100);
    const { status } = await server.upload(ofBytes(102_401), {}, { key: account.api_key });
    assert.equal(status, 403);
    await settled();
    assert.deepEqual(mailsTo(email), []);
  });

  test('goes with an event for who listens, once too', async () => {
    await using receiver = await startReceiver();
    const { account } = await withLimit(100);
    const body = { url: receiver.url, events: ['storage.warning'] };
    const hook = await server.json('/webhooks/', { ...sendJson('POST', body), key: account.api_key });
    await store(account, 99_000);
    await store(account, 1000);
    await eventually(() => assert.equal(receiver.received.length, 1));
    receiver.verify(receiver.received[0]!, hook.body.secret);
    const { type, data } = receiver.received[0]!.event;
    assert.deepEqual(
      [type, data],
      ['storage.warning', { percent: 96, storage_used: 96.68, storage_limit: 100 }],
    );
  });

  test('no log line holds the credentials of the mail server', () => {
    assert.ok(logLines.length > 50);
    for (const secret of [login.password, encodeURIComponent(login.password)])
      assert.deepEqual(
        logLines.filter((line) => line.includes(secret)),
        [],
      );
  });
});

describe('when the mail server is away', () => {
  test('the mail is sent when it is back, and the event does not wait for it nor come twice', async () => {
    const port = await freePort();
    const lines: string[] = [];
    await using waiting = await startServer(
      { SMTP_URL: `smtp://someone:hush-canary@127.0.0.1:${port}`, WEBHOOK_ALLOW_PRIVATE: 'on' },
      { logLines: lines },
    );
    await using receiver = await startReceiver();
    const { email, account } = await withLimit(100, waiting);
    const body = { url: receiver.url, events: ['storage.warning'] };
    await waiting.json('/webhooks/', { ...sendJson('POST', body), key: account.api_key });
    await store(account, 100_000, waiting);
    await eventually(() => {
      assert.equal(receiver.received.length, 1);
      assert.ok(lines.some((line) => line.includes('The mail server did not take the mail (ESOCKET)')));
    });
    await using late = await startMailServer({ port, user: { name: 'someone', password: 'hush-canary' } });
    await eventually(() => assert.equal(mailsTo(email, late).length, 1), 15_000);
    await settled(waiting);
    assert.equal(mailsTo(email, late).length, 1);
    assert.equal(receiver.received.length, 1);
    assert.equal(lines.filter((line) => line.includes('hush-canary')).length, 0);
  });

  test('without one the mail is logged', async () => {
    const lines: string[] = [];
    await using plain = await startServer({}, { logLines: lines });
    const { email, account } = await withLimit(100, plain);
    await store(account, 100_000, plain);
    const line = await eventually(() => {
      const found = lines.find((each) => each.includes('SMTP_URL is not set'));
      assert.ok(found);
      return found;
    });
    const { mail } = JSON.parse(line) as { mail: { to: string; subject: string } };
    assert.deepEqual([mail.to, mail.subject], [email, 'Your Tintype storage is 97% full']);
  });
});
