import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { startDescribedPictures } from '../support/search-server.ts';
import { startServer } from '../support/server.ts';
import { runCli, runJson } from './run-cli.ts';
import { waitingJobs } from '../support/waiting-jobs.ts';

let scratch: string;
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tintype-doctor-'));
});
after(() => rm(scratch, { recursive: true, force: true }));

test('beside a running server all is well, and it says which server runs', async () => {
  await using server = await startServer();
  const { code, stdout } = await runCli(['doctor'], { DATA_DIR: server.dataDir });
  assert.equal(code, 0, stdout);
  assert.doesNotMatch(stdout, /^(fail|warn)/m);
  assert.match(stdout, new RegExp(`ok +server +running: process ${process.pid} at ${server.url}`));
  assert.match(stdout, /ok +images +a worker made a WebP/);
});

test('what is wrong fails with what to do', async () => {
  const dataDir = join(scratch, 'data');
  const server = await startServer({}, { dataDir });
  await server.stop();
  const file = join(scratch, 'not-a-folder');
  await writeFile(file, '');
  const settings = await runCli(['doctor'], { DATA_DIR: dataDir, PORT: 'x', FILE_STORE: 'file:/x' });
  assert.equal(settings.code, 1);
  assert.match(settings.stdout, /fail +settings +.*did you mean FILES_STORE\?; PORT must be/);

  await rm(join(dataDir, 'tintype.db-wal'), { force: true });
  await writeFile(join(dataDir, 'tintype.db'), Buffer.alloc(8192, 0xaa));
  const report = await runJson(['doctor'], { DATA_DIR: dataDir, STORAGE_STORE: `file:${file}` });
  const byCheck = new Map<string, { state: string; advice?: string }>(
    report.checks.map((one: { check: string }) => [one.check, one]),
  );
  assert.equal(report.status, 'fail');
  assert.equal(byCheck.get('database')?.state, 'fail');
  assert.match(byCheck.get('database')?.advice ?? '', /tintype rebuild --force/);
  assert.equal(byCheck.get('storage store')?.state, 'fail');
  assert.equal(byCheck.get('files store')?.state, 'ok');
  assert.equal(byCheck.get('images')?.state, 'ok');
});

test('a lost database is told apart from a new installation', async () => {
  const fresh = await runCli(['doctor'], { DATA_DIR: join(scratch, 'fresh') });
  assert.equal(fresh.code, 0);
  assert.match(fresh.stdout, /warn +data folder .*is not there yet/);

  const dataDir = join(scratch, 'lost');
  const server = await startServer({}, { dataDir });
  const jobsLeft = () => waitingJobs(server.app.core.database).execute();
  while ((await jobsLeft()).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  await server.stop();
  for (const suffix of ['', '-wal', '-shm']) await rm(join(dataDir, `tintype.db${suffix}`), { force: true });
  const lost = await runCli(['doctor'], { DATA_DIR: dataDir });
  assert.equal(lost.code, 1);
  assert.match(lost.stdout, /fail +database .*the stores hold objects\. To do: .*"tintype rebuild"/);
});

test('an analysis that is held up is told with the reason', async () => {
  await using described = await startDescribedPictures();
  const account = await described.account({ openai_api_key: 'sk-wrong' });
  const doctor = () => runCli(['doctor'], { DATA_DIR: described.server.dataDir });
  await account.add('one', 'A stone.');
  await eventually(async () => assert.ok((await account.get('/user/')).body.ai_error));
  assert.match(
    (await doctor()).stdout,
    /warn +analysis +on in 1 accounts; 1 pictures waiting.*refused the API key/,
  );
  await account.configure({ openai_api_key: described.provider.apiKey });
  await account.analysed(1);
  assert.match((await doctor()).stdout, /ok +analysis +on in 1 accounts; 0 pictures waiting, 0 given up/);
});
