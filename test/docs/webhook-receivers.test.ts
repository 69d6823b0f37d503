// The receivers that docs/webhooks.md shows, run as they are printed there: a message of the real service is taken, and whatever
// is forged, changed, too old or from another is refused. A language that is not installed is said so, loudly.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { readText } from '../../scripts/docs/pages.ts';
import { sendJson } from '../support/accounts.ts';
import { type Example, examplesIn } from '../support/doc-examples.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startServer, type TestServer } from '../support/server.ts';

const startMs = 180_000;
const otherSecret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const examples = examplesIn(readText('docs/webhooks.md')).filter(({ fate }) => fate.kind === 'tried');

type Runner = { program: string; file: string; args: (file: string, port: number) => string[] };
const runners: Record<string, Runner> = {
  js: { program: process.execPath, file: 'receiver.mjs', args: (file) => [file] },
  python: { program: 'python3', file: 'receiver.py', args: (file) => [file] },
  go: { program: 'go', file: 'receiver.go', args: (file) => ['run', file] },
  php: { program: 'php', file: 'receiver.php', args: (file, port) => ['-S', `127.0.0.1:${port}`, file] },
};

function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v "${program}"`]).status === 0;
}

const exampleIn = (language: string): Example => {
  const found = examples.filter((example) => example.language === language);
  assert.equal(found.length, 1, `docs/webhooks.md has one receiver in ${language}`);
  return found[0] as Example;
};

let server: TestServer;
let folder: string;
before(async () => {
  server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'on' });
  folder = mkdtempSync(join(tmpdir(), 'tintype-receivers-'));
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

test('docs/webhooks.md shows no receiver that is not tried here', () => {
  assert.deepEqual(
    examples.map(({ language }) => language).toSorted(),
    [...Object.keys(runners), 'sh'].toSorted(),
  );
});

for (const [language, runner] of Object.entries(runners)) {
  const skip =
    !isInstalled(runner.program) &&
    `${runner.program.toUpperCase()} IS NOT INSTALLED: the receiver in ${language} was not tried`;

  describe(`the receiver in ${language}`, { skip }, () => {
    let process: ChildProcess;
    let url: string;
    let webhookId: string;
    let secret: string;
    before(async () => {
      const port = await freePort();
      url = `http://127.0.0.1:${port}/hooks/tintype`;
      const { body } = await server.json('/webhooks/', sendJson('POST', { url }));
      ({ webhook_id: webhookId, secret } = body);
      process = start(language, runner, port, secret);
      await eventually(() => fetch(url), startMs);
    });
    after(async () => {
      const ended = once(process, 'exit');
      globalThis.process.kill(-(process.pid as number), 'SIGKILL');
      await ended;
    });

    const send = async (change: {
      body?: string;
      at?: Date;
      secret?: string;
      headers?: Record<string, string>;
    }) => {
      const body = JSON.stringify({ type: 'webhook.test', data: { object_id: 'ü' } });
      const at = change.at ?? new Date();
      const signature = new Webhook(change.secret ?? secret).sign('whd_1', at, body);
      const headers = {
        'webhook-id': 'whd_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signature,
        ...change.headers,
      };
      return (await fetch(url, { method: 'POST', body: change.body ?? body, headers })).status;
    };

    test('takes what the service sends, also after a rotation', async () => {
      const { body } = await server.json(`/webhooks/${webhookId}/test`, { method: 'POST' });
      assert.deepEqual([body.state, body.status], ['delivered', 204], JSON.stringify(body));
      await server.json(`/webhooks/${webhookId}/rotate`, { method: 'POST' });
      const { body: rotated } = await server.json(`/webhooks/${webhookId}/test`, { method: 'POST' });
      assert.deepEqual(
        [rotated.state, rotated.status],
        ['delivered', 204],
        'two signatures, one of the old secret',
      );
    });

    test('refuses what is changed, forged, old, early or not signed', async () => {
      const minutes = (count: number): Date => new Date(Date.now() + count * 60_000);
      assert.equal(await send({}), 204);
      assert.equal(await send({ body: '{"type":"webhook.test","data":{}}' }), 400, 'another body');
      assert.equal(await send({ secret: otherSecret }), 400, 'another secret');
      assert.equal(await send({ at: minutes(-6) }), 400, 'old');
      assert.equal(await send({ at: minutes(6) }), 400, 'early');
      assert.equal(await send({ at: minutes(-4) }), 204, 'a little late');
      for (const headers of [
        { 'webhook-id': 'whd_2' },
        { 'webhook-signature': '' },
        { 'webhook-signature': 'v1,' },
        { 'webhook-signature': 'v1,AAAA v2,AAAA' },
        { 'webhook-timestamp': 'now' },
        { 'webhook-timestamp': '' },
      ])
        assert.equal(await send({ headers }), 400, JSON.stringify(headers));
    });
  });
}

const skip = !isInstalled('openssl') && 'OPENSSL IS NOT INSTALLED: the signature by hand was not tried';
test('the signature by hand is the one that is sent', { skip }, () => {
  const body = '{"type": "webhook.test"}';
  const at = new Date();
  const env = {
    PATH: process.env['PATH'],
    WEBHOOK_SECRET: otherSecret,
    WEBHOOK_ID: 'whd_1',
    WEBHOOK_TIMESTAMP: String(Math.floor(at.getTime() / 1000)),
  };
  writeFileSync(join(folder, 'body.json'), body);
  const printed = execFileSync('sh', ['-eu', '-c', exampleIn('sh').code], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  assert.equal(printed.trim(), new Webhook(otherSecret).sign('whd_1', at, body));
});

/** In a group of its own, since some start another process. */
function start(
  language: string,
  { program, file, args }: Runner,
  port: number,
  secret: string,
): ChildProcess {
  const path = join(folder, file);
  writeFileSync(path, exampleIn(language).code.replaceAll('8080', String(port)));
  return spawn(program, args(path, port), {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: 'ignore',
    detached: true,
  });
}
