import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newAccount, sendJson, type TestAccount } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/receivers.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runCli, runJson } from './run-cli.ts';
import { waitingJobs } from '../support/waiting-jobs.ts';

let dataDir: string;
let settings: Record<string, string>;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tintype-rebuild-webhooks-'));
  settings = { DATA_DIR: dataDir, BASE_URL: 'http://tintype.test', WEBHOOK_ALLOW_PRIVATE: 'on' };
});
after(() => rm(dataDir, { recursive: true, force: true }));

const start = (): Promise<TestServer> => startServer(settings, { dataDir });
const manifestsWritten = (server: TestServer) =>
  eventually(async () => {
    assert.deepEqual(await waitingJobs(server.app.core.database).execute(), []);
  });
async function loseDatabase(): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(join(dataDir, `tintype.db${suffix}`), { force: true });
}

test('webhooks come back with a lost database, and their secrets still sign', async () => {
  await using receiver = await startReceiver();
  const first = await start();
  const account: TestAccount = await newAccount(first);
  const { api_key: key } = account;
  const post = async (server: TestServer, path: string, body: unknown = {}) =>
    (await server.json(path, { ...sendJson('POST', body), key })).body;
  const hook = await post(first, '/webhooks/', { url: receiver.url, events: ['object.created'] });
  const rotated = await post(first, `/webhooks/${hook.webhook_id}/rotate`);
  const gone = await post(first, '/webhooks/', { url: receiver.url });
  await first.json(`/webhooks/${gone.webhook_id}`, { method: 'DELETE', key });
  const own = await first.json('/user/', { ...sendJson('PATCH', { webhook_url: receiver.url }), key });
  const { body: before } = await first.json('/webhooks/', { key });
  await manifestsWritten(first);
  await first.stop();
  assert.equal((await runCli(['rebuild', '--check'], settings)).code, 0);

  await loseDatabase();
  assert.deepEqual((await runJson(['rebuild'], settings)).problems, []);
  const second = await start();
  assert.deepEqual((await second.json('/webhooks/', { key })).body, before);
  await post(second, `/webhooks/${hook.webhook_id}/test`);
  receiver.verify(receiver.received[0]!, rotated.secret);
  receiver.verify(receiver.received[0]!, hook.secret);
  await second.stop();

  // As earlier versions wrote it: the one webhook there could be was part of the account.
  const { secret_sealed: sealed } = await ownRow(dataDir, account);
  for (const store of ['files', 'storage']) {
    const file = join(dataDir, store, account.bucket_id, 'bucket.json');
    const { webhooks: _none, ...manifest } = JSON.parse(await readFile(file, 'utf8'));
    manifest.account.webhook_secret_sealed = sealed;
    await writeFile(file, JSON.stringify(manifest));
  }
  await loseDatabase();
  assert.deepEqual((await runJson(['rebuild'], settings)).problems, []);
  await using third = await start();
  const [only, ...more] = (await third.json('/webhooks/', { key })).body.webhooks;
  assert.deepEqual([only.url, only.source, more], [receiver.url, 'settings', []]);
  await post(third, `/webhooks/${only.webhook_id}/test`);
  receiver.verify(receiver.received[1]!, own.body.webhook_secret);
});

async function ownRow(folder: string, { bucket_id: bucketId }: TestAccount) {
  const manifest = JSON.parse(await readFile(join(folder, 'files', bucketId, 'bucket.json'), 'utf8'));
  return manifest.webhooks.find((row: { source: string }) => row.source === 'settings');
}
