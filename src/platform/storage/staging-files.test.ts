import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ownerName } from '../owner-name.ts';
import { createFileStorage } from './file-storage.ts';

const anHourMs = 3_600_000;

async function newRoot(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tintype-sweep-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** Another process in the middle of a put, and says so. */
function putElsewhere(root: string) {
  const script = `
    import { createFileStorage } from ${JSON.stringify(import.meta.resolve('./file-storage.ts'))};
    await createFileStorage({ root: ${JSON.stringify(root)} }).put('a/b', (async function* () {
      yield Buffer.alloc(300_000);
      console.log('written');
      await new Promise(() => setInterval(() => undefined, 1000));
    })());`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('a file of a living process is spared; when the process was killed it goes at once', async (t) => {
  const root = await newRoot(t);
  const storage = createFileStorage({ root });
  const other = putElsewhere(root);
  t.after(() => other.kill('SIGKILL'));
  await once(other.stdout, 'data');
  assert.equal((await readdir(join(root, '.staging'))).length, 1);
  assert.equal(await storage.sweep({ olderThanMs: anHourMs }), 0);
  other.kill('SIGKILL');
  await once(other, 'exit');
  for await (const entry of storage.list('')) assert.fail(`${entry.key} is visible`);
  assert.equal(await storage.sweep({ olderThanMs: anHourMs }), 1);
  assert.deepEqual(await readdir(join(root, '.staging')), []);
});

test('a file of an earlier process with our number goes at once', async (t) => {
  const root = await newRoot(t);
  const storage = createFileStorage({ root });
  await writeFile(join(root, '.staging', ownerName(process.pid, '00ff')), 'x');
  assert.equal(await storage.sweep({ olderThanMs: anHourMs }), 1);
});

test('what belongs to another host, or to nobody we know, goes by age', async (t) => {
  const root = await newRoot(t);
  const storage = createFileStorage({ root });
  const names = [
    `other-host-${process.pid}-00ff`,
    'unknown',
    ownerName(process.pid, '00ff').replace(/-\d+-/, '-x-'),
  ];
  for (const name of names) await writeFile(join(root, '.staging', name), 'x');
  assert.equal(await storage.sweep({ olderThanMs: anHourMs }), 0);
  const twoHoursAgo = new Date(Date.now() - 2 * anHourMs);
  for (const name of names) await utimes(join(root, '.staging', name), twoHoursAgo, twoHoursAgo);
  assert.equal(await storage.sweep({ olderThanMs: anHourMs }), 3);
});

test('two backends of one process on one folder spare each other’s files', async (t) => {
  const root = await newRoot(t);
  const [one, other] = [createFileStorage({ root }), createFileStorage({ root })];
  const parts = async function* () {
    yield Buffer.alloc(300_000);
    assert.equal((await readdir(join(root, '.staging'))).length, 1);
    assert.equal(await other.sweep({ olderThanMs: -anHourMs }), 0);
    yield Buffer.alloc(5);
  };
  assert.deepEqual(await one.put('a/b', parts()), { size: 300_005 });
});
