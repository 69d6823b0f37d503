// A library moves from SQLite to PostgreSQL beside the service that goes on changing it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCli, runJson, startCli } from '../cli/run-cli.ts';
import { jobsDone } from '../support/library.ts';
import { picture } from '../support/pictures.ts';
import {
  assertServes,
  change,
  type KeptLibrary,
  Places,
  startLibrary,
  startOn,
  viewOf,
  withProvider,
} from './kept-library.ts';
import { skipWithoutServer } from './nodes.ts';

const maxRounds = 2000;

/** Ids that are used again, tags that change, words that are found anew: for as long as it copies, and while it waits. */
async function changeUntil({ server, ids, searcher }: KeptLibrary, isOver: () => boolean): Promise<void> {
  for (let round = 0; !isOver() || round < 20; round += 1) {
    assert.ok(round < maxRounds, 'it never asked to stop the server');
    const id = ids[round % 6] as string;
    if (round % 3 === 0) {
      assert.equal((await server.call(`/delete/${id}`, { method: 'DELETE' })).status, 200);
      const again = await server.upload(await picture(30, 20 + (round % 50)), { object: id, tags: 'again' });
      assert.equal(again.status, 200);
    } else assert.equal((await change(server, id, [`changed-${round}`])).status, 200);
    if (round % 7 === 0) {
      const tagged = await searcher.send('POST', '/update/tree', { tags: ['of-tree', `round-${round}`] });
      assert.equal(tagged.status, 200);
    }
  }
}

describe('a database moves to PostgreSQL', { skip: skipWithoutServer }, () => {
  test('beside a busy service, and shows the same there', async () => {
    await using places = await Places.make();
    const settings = places.settings('busy');
    const target = await places.emptyDatabase('target');
    await using library = await startLibrary(settings);
    const { child, ended } = startCli(['migrate', '--database', target], settings);
    let waits = false;
    child.stderr?.on('data', (chunk) => (waits ||= String(chunk).includes('Stop the server now')));
    let isEnded = false;
    void ended.then(() => (isEnded = true));
    await changeUntil(library, () => waits || isEnded);
    await jobsDone(library.server);
    const seen = await viewOf(library.server, library);
    await library.server.stop();
    const moved = await ended;
    assert.equal(moved.code, 0, moved.stderr);
    assert.match(moved.stdout, /vectors +3 +3 +true/);
    assert.doesNotMatch(moved.stdout + moved.stderr, new RegExp(new URL(target).pathname.slice(1)));

    await assert.rejects(startOn(settings), /was moved to another .* Set DATABASE_URL/s);
    const doctor = await runCli(['doctor'], settings);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /fail +database .*was moved.*DATABASE_URL/);
    assert.doesNotMatch(doctor.stdout, /rebuild/);
    const again = await runCli(['migrate', '--database', target], settings);
    assert.deepEqual([again.code, again.stdout.includes('moved already')], [0, true]);
    const other = { ...settings, DATABASE_URL: target, SECRET_KEY: 'another-key-than-before-000000' };
    await assert.rejects(startOn(other), /SECRET_KEY is not the one/);

    await using there = await startOn(withProvider({ ...settings, DATABASE_URL: target }, library));
    assert.deepEqual(await viewOf(there, library), seen);
    await assertServes(there, library);
  });

  for (const failpoint of ['move:page@3', 'move:applied', 'move:fenced', 'move:complete']) {
    test(`killed at ${failpoint}, it goes on and loses nothing`, async () => {
      await using places = await Places.make();
      const settings = places.settings('killed');
      const target = await places.emptyDatabase('target');
      const onTarget = { ...settings, DATABASE_URL: target };
      await using library = await startLibrary(settings);
      const { server } = library;
      if (failpoint === 'move:applied') {
        assert.equal((await runCli(['migrate', '--database', target, '--no-wait'], settings)).code, 0);
        assert.equal((await change(server, library.ids[1] as string, ['noted'])).status, 200);
        assert.equal((await server.call(`/delete/${library.ids[2]}`, { method: 'DELETE' })).status, 200);
        await jobsDone(server);
      }
      const seen = await viewOf(server, library);
      await server.stop();
      const killed = await runCli(['migrate', '--database', target], {
        ...settings,
        TINTYPE_FAILPOINT: failpoint,
      });
      assert.match(killed.stderr, /died at failpoint/);
      if (failpoint !== 'move:complete')
        await assert.rejects(startOn(onTarget), /not complete: .* Go on with: tintype migrate --database/);
      const report = await runJson(['migrate', '--database', target], settings);
      assert.ok(report.old_database);
      await using there = await startOn(withProvider(onTarget, library));
      assert.deepEqual(await viewOf(there, library), seen);
    });
  }

  test('only into an empty one', async () => {
    await using places = await Places.make();
    const settings = places.settings('refused');
    const target = await places.emptyDatabase('target');
    await using used = await startOn(places.settings('used', { DATABASE_URL: target }));
    await used.upload(await picture(20, 20));
    await using server = await startOn(settings);
    await server.upload(await picture(20, 20));
    const full = await runCli(['migrate', '--database', target], settings);
    assert.equal(full.code, 1);
    assert.match(full.stderr, /The target is not empty/);
  });
});
