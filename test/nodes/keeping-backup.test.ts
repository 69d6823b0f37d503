// Backups of a library on PostgreSQL, restored into either engine and either kind of store; and a database that was lost,
// made again from what lies in S3.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { join } from 'node:path';
import { runCli, runJson } from '../cli/run-cli.ts';
import { jobsDone } from '../support/library.ts';
import { startS3Server } from '../support/s3-server.ts';
import { newS3Stores } from '../support/test-stores.ts';
import {
  assertServes,
  type KeptLibrary,
  Places,
  s3Credentials,
  type Settings,
  startLibrary,
  startOn,
  viewOf,
  withProvider,
} from './kept-library.ts';
import { skipWithoutServer } from './nodes.ts';

describe('a library on PostgreSQL and S3', { skip: skipWithoutServer }, () => {
  let places: Places;
  let settings: Settings;
  let library: KeptLibrary;
  let seen: unknown[];
  before(async () => {
    places = await Places.make();
    const DATABASE_URL = await places.emptyDatabase('source');
    settings = { ...places.settings('source', { DATABASE_URL }), ...(await newS3Stores('second-bucket')) };
    library = await startLibrary(settings);
    seen = await viewOf(library.server, library);
  });
  after(async () => {
    await library?.[Symbol.asyncDispose]();
    await places?.[Symbol.asyncDispose]();
  });
  const cli = (more: Settings): Settings => ({ ...s3Credentials, ...more });

  /** Shows the same as the library, and works. */
  async function assertSame(restored: Settings): Promise<void> {
    await using server = await startOn(withProvider(restored, library));
    assert.deepEqual(await viewOf(server, library), seen);
    await assertServes(server, library);
    await jobsDone(server);
  }

  test('is backed up into a folder, then only what is new, and restored into SQLite', async () => {
    const place = join(places.folder, 'backup');
    const killed = await runCli(
      ['backup', place],
      cli({ ...settings, TINTYPE_FAILPOINT: 'backup:object@4' }),
    );
    assert.match(killed.stderr, /died at failpoint/);
    const first = await runJson(['backup', place], cli(settings));
    assert.deepEqual([first.objects, first.damaged], [10, []]);
    const second = await runJson(['backup', place], cli(settings));
    assert.ok(second.copied < first.copied, `${second.copied} after ${first.copied}`);
    const sqlite = places.settings('sqlite');
    const restored = await runJson(['restore', place], sqlite);
    assert.deepEqual(restored.missing, []);
    await assertSame(sqlite);
  });

  test('is backed up into S3, and restored into an empty PostgreSQL database, also after a kill', async () => {
    const place = (await startS3Server()).newStore();
    await runJson(['backup', place], cli(settings));
    const target = {
      ...places.settings('postgres', { DATABASE_URL: await places.emptyDatabase('target') }),
      ...(await newS3Stores('first-bucket')),
    };
    for (const failpoint of ['restore:object@3', 'restore:page@2']) {
      const killed = await runCli(['restore', place], cli({ ...target, TINTYPE_FAILPOINT: failpoint }));
      assert.match(killed.stderr, /died at failpoint/);
      await assert.rejects(startOn(target), /not complete: .* Go on with: tintype restore/);
    }
    const restored = await runJson(['restore', place], cli(target));
    assert.deepEqual(restored.missing, []);
    await assertSame(target);
    const again = await runCli(['restore', place], cli(target));
    assert.equal(again.code, 1);
    assert.match(again.stderr, /holds objects already/);
    const inUse = {
      ...settings,
      ...(await newS3Stores('first-bucket')),
      DATA_DIR: join(places.folder, 'fresh'),
    };
    const refused = await runCli(['restore', place], cli(inUse));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /The target is not empty/);
    assert.deepEqual((await runJson(['scrub'], cli(target))).findings.filter(isOriginal), []);
  });

  test('whose database is lost is made again from its stores, and only into an empty one', async () => {
    const same = await runCli(['rebuild', '--check'], cli(settings));
    assert.equal(same.code, 0, same.stdout + same.stderr);
    await library.server.stop();
    const DATABASE_URL = await places.emptyDatabase('rebuilt');
    const lost = { ...settings, DATABASE_URL, DATA_DIR: join(places.folder, 'rebuilt') };
    await assert.rejects(startOn(lost), /The database is missing, but the stores hold objects/);
    const ill = await runCli(['doctor'], cli(lost));
    assert.match(ill.stdout, /fail +database .*To do: .*tintype rebuild/);
    const killed = await runCli(['rebuild'], cli({ ...lost, TINTYPE_FAILPOINT: 'database:committed@8' }));
    assert.match(killed.stderr, /died at failpoint/);
    await assert.rejects(startOn(lost), /not complete: .* Go on with: tintype rebuild/);
    assert.match(
      (await runCli(['doctor'], cli(lost))).stdout,
      /fail +database .*Go on with: tintype rebuild/,
    );
    const rebuilt = await runJson(['rebuild'], cli(lost));
    assert.deepEqual([rebuilt.accounts, rebuilt.objects, rebuilt.problems], [2, 10, []]);
    assert.equal((await runCli(['rebuild', '--check'], cli(lost))).code, 0);
    const again = await runCli(['rebuild'], cli(lost));
    assert.equal(again.code, 1);
    assert.match(again.stderr, /was rebuilt before/);
    await using server = await startOn(withProvider(lost, library));
    assert.deepEqual((await viewOf(server, library)).slice(0, listed), seen.slice(0, listed));
    await assertServes(server, library);
    const well = await runCli(['doctor'], cli(lost));
    assert.equal(well.code, 0, well.stdout);
    assert.match(well.stdout, /ok +database +the PostgreSQL database answers: 2 accounts/);
    assert.match(well.stdout, /ok +files store +s3:\/\/.* takes files/);
  });
});

/** Of a view: what the operator's account shows; pictures are described anew after a rebuild. */
const listed = 6;

function isOriginal({ kind }: { kind: string }): boolean {
  return kind === 'original';
}
