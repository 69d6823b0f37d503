import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DataDirLocked, lockDataDir, lockHolder } from './data-dir-lock.ts';

describe('the lock of a data folder', () => {
  let parent: string;
  let folders = 0;
  before(() => {
    parent = mkdtempSync(join(tmpdir(), 'tintype-lock-'));
  });
  after(() => rmSync(parent, { recursive: true }));
  const newFolder = (): string => join(parent, `${++folders}`);

  async function lockInChild(folder: string, action = 'lock'): Promise<ChildProcessWithoutNullStreams> {
    const child = spawn(process.execPath, ['test/support/database-child.ts', action, folder]);
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    assert.equal(String(said), 'locked\n');
    return child;
  }

  async function end(child: ChildProcessWithoutNullStreams, how: 'kill' | 'exit'): Promise<void> {
    const ended = once(child, 'exit');
    if (how === 'kill') child.kill('SIGKILL');
    else child.stdin.end();
    await ended;
  }

  test('refuses the second process and names the first and its address', async () => {
    const folder = newFolder();
    const child = await lockInChild(folder);
    assert.throws(
      () => lockDataDir(folder, 'http://second.example'),
      (error) =>
        error instanceof DataDirLocked &&
        error.message.includes(folder) &&
        error.message.includes(`process ${child.pid} at http://child.example`),
    );
    assert.match(lockHolder(folder) ?? '', new RegExp(`^process ${child.pid} at http://child.example`));
    await end(child, 'kill');
  });

  test('is free after kill -9', async () => {
    const folder = newFolder();
    await end(await lockInChild(folder), 'kill');
    assert.equal(lockHolder(folder), null);
    const lock = lockDataDir(folder, 'http://second.example');
    assert.match(lockHolder(folder) ?? '', new RegExp(`^process ${process.pid} at http://second.example`));
    lock.release();
  });

  test('is free when its process ends, whether it gave it back or not', async () => {
    for (const action of ['lock', 'lock-and-release']) {
      const folder = newFolder();
      await end(await lockInChild(folder, action), 'exit');
      assert.equal(lockHolder(folder), null);
      lockDataDir(folder, 'http://second.example').release();
    }
  });

  test('given back leaves no name behind, and can be taken again', () => {
    const folder = newFolder();
    assert.equal(lockHolder(folder), null);
    for (let round = 0; round < 3; round++) {
      const lock = lockDataDir(folder, 'http://again.example');
      assert.throws(() => lockDataDir(folder, 'http://again.example'), DataDirLocked);
      lock.release();
      assert.equal(lockHolder(folder), null);
      assert.ok(!existsSync(join(folder, 'server.json')));
    }
  });

  test('of one folder is no lock of another', () => {
    const locks = [
      lockDataDir(newFolder(), 'http://a.example'),
      lockDataDir(newFolder(), 'http://b.example'),
    ];
    for (const lock of locks) lock.release();
  });
});
