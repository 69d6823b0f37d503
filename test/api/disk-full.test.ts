// A full disk: the upload is refused with a sentence, nothing of it stays, and all works again when there is room.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { assertClean, leavesNothing } from '../support/assert-clean.ts';
import { assertError } from '../support/assert-error.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { aboutFolders } from '../support/test-stores.ts';
import { onlyOnSqlite } from '../support/test-database.ts';

const diskFull = { message: /no room left/, code: 'disk_full' };

/** A data folder with a small disk mounted below it, until the test ends; undefined where this user may not mount one. */
function dataDirWithSmallDisk(context: TestContext, below: string, megabytes: number): string | undefined {
  const dataDir = mkdtempSync(join(tmpdir(), 'tintype-full-'));
  const disk = join(dataDir, below);
  mkdirSync(disk, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tintype-test', disk], {
      stdio: 'pipe',
    });
  } catch (error) {
    rmSync(dataDir, { recursive: true });
    const reason = `NOT TESTED: a small disk cannot be mounted here (${String(error).split('\n')[0]})`;
    console.error(reason);
    context.skip(reason);
    return undefined;
  }
  context.after(() => {
    execFileSync('umount', ['-l', disk]);
    rmSync(dataDir, { recursive: true, force: true });
  });
  return dataDir;
}

/** Leaves the disk with about this much room. */
async function fillUp(folder: string, leaveBytes: number): Promise<string> {
  const { bavail, bsize } = statfsSync(folder);
  const ballast = join(folder, 'ballast');
  await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes))).catch((error) => {
    // The service has written something meanwhile: it is full all the same.
    if (leaveBytes > 0 || error.code !== 'ENOSPC') throw error;
  });
  return ballast;
}

async function refusesUntilThereIsRoom(server: TestServer, disk: string, leaveBytes: number): Promise<void> {
  const small = await picture(10, 10);
  const large = await picture(1000, 1000, 'png');
  const { body: kept } = await server.upload(small, { object: 'kept' });
  const ballast = await fillUp(disk, leaveBytes);
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await leavesNothing(server, () => server.upload(large, { object: 'too-much' }));
    assertError(answer, 507, diskFull);
  }
  const original = await server.call(kept.original, { key: null });
  assert.deepEqual(Buffer.from(await original.arrayBuffer()), small, 'what is there is still served');
  assert.equal((await server.json('/health/live')).status, 200);
  await rm(ballast);
  const { status } = await server.upload(large, { object: 'too-much' });
  assert.equal(status, 200, 'there is room again, and the id is free');
  await assertClean(server);
}

test('the disk of the files is full: 507, nothing stays, and it works again when there is room', async (context) => {
  if (aboutFolders) return context.skip(aboutFolders);
  const dataDir = dataDirWithSmallDisk(context, 'files', 8);
  if (!dataDir) return;
  await using server = await startServer({}, { dataDir });
  await refusesUntilThereIsRoom(server, join(dataDir, 'files'), 500_000);
});

test('the disk of the whole data folder is full: the same', async (context) => {
  const dataDir = dataDirWithSmallDisk(context, '', 24);
  if (!dataDir) return;
  await using server = await startServer({}, { dataDir });
  await refusesUntilThereIsRoom(server, dataDir, 500_000);
});

test(
  'not even room for a row: 507 for writes, reading goes on, and it works again when there is room',
  onlyOnSqlite,
  async (context) => {
    const dataDir = dataDirWithSmallDisk(context, '', 24);
    if (!dataDir) return;
    // The files have a disk with room, so that it is the database which cannot write.
    const files = mkdtempSync(join(tmpdir(), 'tintype-roomy-'));
    context.after(() => rmSync(files, { recursive: true, force: true }));
    await using server = await startServer({ FILES_STORE: `file:${files}` }, { dataDir });
    const file = await picture(10, 10);
    await server.upload(file, { object: 'kept' });
    const ballast = await fillUp(dataDir, 0);
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 100 && !statuses.has(507); attempt++)
      statuses.add((await server.upload(file, { tags: 'x'.repeat(90) })).status);
    assert.ok(
      [...statuses].every((status) => status === 200 || status === 507),
      [...statuses].join(),
    );
    assert.ok(statuses.has(507), 'the database could not write');
    assert.equal((await server.json('/get/kept')).status, 200);
    await rm(ballast);
    assert.equal((await server.upload(file)).status, 200);
  },
);
