import assert from 'node:assert/strict';
import { chmod, mkdtemp, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { AppError } from '../errors.ts';
import { createFileStorage } from './file-storage.ts';

async function newRoot(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tintype-file-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  return root;
}

test('files and folders are for the owner alone', async (t) => {
  const root = await newRoot(t);
  const storage = createFileStorage({ root });
  await storage.put('a/b/c', Buffer.from('x'));
  const modes = await Promise.all(
    ['.staging', 'a', 'a/b', 'a/b/c'].map(async (name) => (await stat(join(root, name))).mode),
  );
  assert.deepEqual(
    modes.map((mode) => mode & 0o777),
    [0o700, 0o700, 0o700, 0o600],
  );
});

test('folders removed behind our back are made again', async (t) => {
  const root = await newRoot(t);
  const storage = createFileStorage({ root });
  await storage.put('a/b/c', Buffer.from('x'));
  for (const gone of ['a/b', 'a', '.staging']) {
    await rm(join(root, gone), { recursive: true });
    await Promise.all([1, 2, 3].map((n) => storage.put(`a/b/${n}`, Buffer.from('x'))));
    assert.equal((await storage.head('a/b/3'))?.size, 1);
  }
});

test('a vanished root is an error, not a new folder on the disk below it', async (t) => {
  const root = await newRoot(t);
  const storage = createFileStorage({ root });
  await storage.put('a/b', Buffer.from('x'));
  await rm(root, { recursive: true });
  await assert.rejects(storage.put('a/c', Buffer.from('x')), { code: 'internal' });
  await assert.rejects(storage.probe(), { code: 'internal' });
  await assert.rejects(stat(root), { code: 'ENOENT' });
  assert.equal(await storage.get('a/b'), null);
  assert.equal(await storage.sweep({ olderThanMs: 0 }), 0);
});

test('what others left in the folder is not listed', async (t) => {
  const root = await newRoot(t);
  const storage = createFileStorage({ root });
  await storage.put('a/b', Buffer.from('x'));
  await mkdir(join(root, 'lost+found'));
  await writeFile(join(root, 'lost+found', 'x'), '');
  await writeFile(join(root, 'a', '.DS_Store'), '');
  await symlink('/etc/hostname', join(root, 'a', 'link'));
  const keys: string[] = [];
  for await (const { key } of storage.list('')) keys.push(key);
  assert.deepEqual(keys, ['a/b']);
});

test('small uploads that are discarded never touch the disk', async (t) => {
  const root = await newRoot(t);
  const file = await createFileStorage({ root }).create('a/b');
  await file.write(Buffer.alloc(100_000));
  assert.deepEqual(await readdir(root), ['.staging']);
  await file.discard();
  assert.deepEqual(await readdir(root), ['.staging']);
});

test('an error of the system is internal, keeps its cause and shows the client no path', async (t) => {
  const root = await newRoot(t);
  const storage = createFileStorage({ root });
  await storage.put('a', Buffer.from('a file where a folder is needed'));
  await assert.rejects(storage.put('a/b', Buffer.from('x')), (error: unknown) => {
    assert.ok(error instanceof AppError && error.code === 'internal');
    assert.ok(error.cause instanceof Error && !error.message.includes(root));
    return true;
  });
  await storage.delete('a/b');
  assert.deepEqual(await readdir(join(root, '.staging')), []);
});

test(
  'a file that may not be read is an error, not absent',
  { skip: process.getuid?.() === 0 && 'root reads everything' },
  async (t) => {
    const root = await newRoot(t);
    const storage = createFileStorage({ root });
    await storage.put('a/b', Buffer.from('x'));
    await chmod(join(root, 'a/b'), 0);
    await assert.rejects(storage.get('a/b'), { code: 'internal' });
  },
);
