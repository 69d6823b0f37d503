import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { startMailServer } from '../../../test/support/mail-server.ts';
import { createLog } from '../log.ts';
import { createSendMail, type Mail } from './send-mail.ts';

const log = createLog('silent');
const mail: Mail = { to: 'you@example.com', subject: 'Grüße', text: 'Hello,\n\n.\nthere: 5 €\n', id: 'one' };

describe('mail', () => {
  test('arrives as it was written, from whom the operator says', async () => {
    await using server = await startMailServer();
    await createSendMail({ smtpUrl: server.url, from: 'Us <us@example.org>', log })(mail);
    const [one] = server.mails;
    assert.deepEqual([one?.from, one?.to], ['us@example.org', ['you@example.com']]);
    assert.equal(one?.headers['message-id'], '<one@example.org>');
    assert.equal(one?.headers['auto-submitted'], 'auto-generated');
    assert.match(one?.headers['subject'] ?? '', /^=\?UTF-8\?/);
    assert.match(Buffer.from(one?.text ?? '', 'latin1').toString(), /^Hello,\r\n\r\n\.\r\nthere: 5 €/);
  });

  test('no field can smuggle in another header or receiver', async () => {
    await using server = await startMailServer();
    const send = createSendMail({ smtpUrl: server.url, from: 'us@example.org', log });
    await send({ ...mail, subject: 'x\r\nBcc: other@example.com' });
    assert.deepEqual(server.mails[0]?.to, ['you@example.com']);
    assert.equal(server.mails[0]?.headers['bcc'], undefined);
  });

  test('a server that refuses, or says nothing, is told in words that hold no secret', async () => {
    await using server = await startMailServer({ user: { name: 'someone', password: 'right' } });
    const wrong = server.url.replace('right', 'hush');
    await assert.rejects(createSendMail({ smtpUrl: wrong, from: 'us@example.org', log })(mail), (error) => {
      assert.equal((error as Error).message, 'The mail server did not take the mail (535)');
      assert.doesNotMatch(String((error as Error).stack), /hush/);
      return true;
    });
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const smtpUrl = `smtp://127.0.0.1:${port}`;
    const startedAt = performance.now();
    await assert.rejects(createSendMail({ smtpUrl, from: 'us@example.org', log, deadlineMs: 200 })(mail));
    assert.ok(performance.now() - startedAt < 5000);
    silent.close();
  });
});
