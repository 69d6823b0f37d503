import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { UsageError } from '../../src/cli/arguments.ts';
import { runCommand } from '../../src/cli/commands.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runCli, runJson } from './run-cli.ts';

let server: TestServer;
let environment: Record<string, string>;
before(async () => {
  server = await startServer();
  environment = { DATA_DIR: server.dataDir };
});
after(() => server.stop());

const statusOf = async (path: string, key: string): Promise<number> =>
  (await server.call(path, { key })).status;

test('an account made beside the running server works there at once, and so does every change of it', async () => {
  const made = await runJson(
    ['account', 'create', '--email', 'ann@example.com', '--tier', 'pro'],
    environment,
  );
  const key = made.api_key as string;
  const user = await server.json('/user/', { key });
  assert.deepEqual([user.body.account_id, user.body.tier], [made.account_id, 'pro']);
  const stored = await server.upload(await picture(80, 60), {}, { key });
  assert.equal(stored.status, 200);
  assert.equal((await server.call(stored.body.original, { key: null })).status, 200);

  const limited = await runJson(
    ['account', 'set', made.account_id, '--storage-limit', '0.5', '--rate-limit', '77'],
    environment,
  );
  assert.deepEqual([limited.storage_limit, limited.rate_limit_per_minute], [0.5, 77]);
  assert.equal(
    (await server.upload(await picture(80, 60), {}, { key })).body.error,
    'Storage limit exceeded',
  );
  const back = await runJson(['account', 'set', 'ann@example.com', '--storage-limit', 'none'], environment);
  assert.equal(back.storage_limit, 10 * 1024 * 1024);

  const off = await runJson(['account', 'set', made.account_id, '--enabled', 'no'], environment);
  assert.equal(off.enabled, false);
  assert.equal(await statusOf('/user/', key), 403);
  // The server hears of it through the database, within a second.
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal((await server.call(stored.body.original, { key: null })).status, 404);
  const { accounts } = await runJson(['account', 'list'], environment);
  assert.deepEqual(
    accounts.map((account: { email: string; enabled: boolean }) => [account.email, account.enabled]),
    [
      ['operator@localhost', true],
      ['ann@example.com', false],
    ],
  );
});

test('a key is made for the operator by default, rotated with grace, and revoked at once', async () => {
  const made = await runJson(['key', 'create', '--name', 'cron', '--scopes', 'read'], environment);
  assert.equal((await server.json('/user/', { key: made.api_key })).body.email, 'operator@localhost');
  assert.equal((await server.upload(await picture(8, 8), {}, { key: made.api_key })).status, 403);

  const rotated = await runJson(['key', 'rotate', made.key_id, '--grace', '60'], environment);
  assert.equal(rotated.key_id, made.key_id);
  assert.equal(await statusOf('/user/', made.api_key), 200);
  assert.equal(await statusOf('/user/', rotated.api_key), 200);
  const { keys } = await runJson(['key', 'list', '--account', 'operator@localhost'], environment);
  assert.ok(
    keys.some((key: { key_id: string; name: string }) => key.key_id === made.key_id && key.name === 'cron'),
  );
  assert.ok(!JSON.stringify(keys).includes(rotated.api_key));

  const revoked = await runCli(['key', 'revoke', made.key_id], environment);
  assert.equal(revoked.code, 0, revoked.stderr);
  assert.equal(await statusOf('/user/', rotated.api_key), 401);
  assert.equal((await runCli(['key', 'revoke', made.key_id], environment)).code, 1);
});

test('wrong use is told in a sentence with code 2, and commands explain themselves', async () => {
  const faults: [string[], RegExp][] = [
    [[], /Usage: tintype <command>/],
    [['frobnicate'], /Unknown command "frobnicate"/],
    [['account'], /Say which: create, list, set/],
    [['account', 'create'], /--email is required/],
    [['account', 'create', '--email', 'nobody'], /--email must be an e-mail address/],
    [
      ['account', 'create', '--email', 'a@b.c', '--storage-limit', 'much'],
      /--storage-limit must be a number/,
    ],
    [['key', 'create', '--name', 'x', '--scopes', 'read,fly'], /--scopes must be a list of read, write/],
    [['key', 'create', '--name', 'x', '--expires', '2001-01-01'], /--expires must be .* in the future/],
    [['import', '/nowhere/at/all'], /There is no folder/],
    [['rebuild', '--everything'], /Unknown option '--everything'/],
  ];
  const noSettings = (): never => assert.fail('wrong use is found before the settings are read');
  for (const [args, sentence] of faults) {
    await assert.rejects(runCommand(args, { config: noSettings, access: noSettings }), (error: Error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, sentence);
      return true;
    });
  }
  const [wrong, explained] = await Promise.all([
    runCli(['account', 'create'], {}),
    runCli(['key', '--help'], {}),
  ]);
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /^--email is required\n\nSee: tintype account --help/);
  assert.equal(explained.code, 0);
  assert.match(explained.stdout, /^Usage:\n {2}tintype key create/);
});
