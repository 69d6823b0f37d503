// `tintype analyse`: what it tells of the analysis of pictures, and how it has what is missing tried again, beside a running
// server and without one.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type DescribedPictures, type Searcher, startDescribedPictures } from '../support/search-server.ts';
import { runCli, runJson } from './run-cli.ts';

let described: DescribedPictures;
let environment: Record<string, string>;
let account: Searcher;
before(async () => {
  described = await startDescribedPictures();
  environment = { DATA_DIR: described.server.dataDir, OPENAI_BASE_URL: described.provider.url };
  account = await described.account();
});
after(() => described[Symbol.asyncDispose]());

/** What waits for its next attempt need not wait longer. */
async function hurry(): Promise<void> {
  const now = Date.now();
  await described.server.app.core.database.write(async (tx) => {
    await tx.updateTable('analyses').set({ run_at: now }).where('dead', '=', 0).execute();
    await tx.updateTable('jobs').set({ run_at: now }).where('kind', '=', 'analyse-account').execute();
  });
}

test('explains itself, and says so when there is nothing to tell', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-analyse-'));
  const [help, wrong, none, noneAsJson] = await Promise.all([
    runCli(['analyse', '--help'], {}),
    runCli(['analyse', '--everything'], { DATA_DIR: folder }),
    runCli(['analyse'], { DATA_DIR: folder }).then(async (first) => [
      first,
      await runCli(['analyse', '--missing'], { DATA_DIR: folder }),
    ]),
    runCli(['--help'], {}),
  ]);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /^Usage:\n {2}tintype analyse \[--missing\]/);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /Unknown option '--everything'/);
  for (const each of none)
    assert.deepEqual([each.code, each.stdout], [0, 'No account has analysis on.\n'], each.stderr);
  assert.match(noneAsJson.stdout, /\banalyse\b/);
  assert.deepEqual(await runJson(['analyse'], { DATA_DIR: folder }), { accounts: [] });
  await rm(folder, { recursive: true });
});

test('tells how far it is, as a table and as the API does', async () => {
  const off = await described.account({ ai_analysis: false });
  await account.add('one', 'A brown owl.');
  await account.analysed(1);
  const [table, all, named] = await Promise.all([
    runCli(['analyse'], environment),
    runJson(['analyse'], environment),
    runJson(['analyse', '--account', off.account_id], environment),
  ]);
  assert.equal(table.code, 0, table.stderr);
  const [head, row, ...more] = table.stdout.trimEnd().split('\n');
  assert.match(head as string, /^account_id +email +model +pictures +analysed +waiting +failed +ai_error$/);
  assert.ok(row?.startsWith(account.account_id));
  assert.match(row as string, / openai\/text-embedding-3-small@512 +1 +1 +0 +0 +-$/);
  assert.deepEqual(more, []);
  const { body } = await account.get('/analysis/');
  assert.deepEqual(all, {
    accounts: [{ account_id: account.account_id, email: 'someone@example.com', ...body }],
  });
  assert.deepEqual([named.accounts.length, named.accounts[0].ai_analysis], [1, false]);
  const refused = await runCli(['analyse', '--missing', '--account', off.account_id], environment);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /Analysis is off/);
  const nobody = await runCli(['analyse', '--account', 'nobody'], environment);
  assert.equal(nobody.code, 1);
  assert.match(nobody.stderr, /There is no account "nobody"/);
});

test('--missing brings back what was given up, beside the running server, and only of that account', async () => {
  const other = await described.account();
  const refusal = { status: 400, error: { message: 'Your input was rejected by the safety system.' } };
  described.provider.behave({ kind: 'error', ...refusal }, { to: '/chat/completions' });
  await account.add('refused', 'A plain stone.');
  await other.add('refused', 'Another plain stone.');
  const givenUp = async (each: Searcher, failed: number): Promise<void> =>
    assert.equal((await each.get('/analysis/')).body.failed, failed);
  await eventually(async () => {
    await hurry();
    await Promise.all([givenUp(account, 1), givenUp(other, 1)]);
  }, 20_000);
  described.provider.behave({ kind: 'well' });
  const { accounts } = await runJson(['analyse', '--missing', '--account', account.account_id], environment);
  assert.equal(accounts.length, 1);
  await account.analysed(2);
  await givenUp(other, 1);
  const told = await runCli(['analyse', '--missing'], environment);
  assert.match(told.stdout, /Queued what is missing\. Run "tintype analyse" again/);
  await other.analysed(1);
});

test('--missing ends a pause and what was told of it, and tells so itself', async () => {
  await account.configure({ openai_api_key: 'sk-not-yet-valid' });
  await account.add('locked', 'A closed door.');
  await eventually(async () => assert.ok((await account.get('/user/')).body.ai_error));
  const paused = await runJson(['analyse', '--account', account.account_id], environment);
  assert.match(paused.accounts[0].ai_error, /refused the API key/);
  assert.ok(Date.parse(paused.accounts[0].paused_until) > Date.now());
  described.provider.behave({ kind: 'hang' });
  const { accounts } = await runJson(['analyse', '--missing', '--account', account.account_id], environment);
  assert.deepEqual([accounts[0].ai_error, accounts[0].paused_until], [null, null]);
  assert.equal((await account.get('/user/')).body.ai_error, null);
  described.provider.behave({ kind: 'well' });
  await account.configure({ openai_api_key: described.provider.apiKey });
});
