// A scrub of what several nodes share: damage in S3 is found past the copies of this machine, and repaired where it can be.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { Finding } from '../../src/keeping/scrub/finding.ts';
import { openStorage } from '../../src/platform/storage/open-storage.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { runJson } from '../cli/run-cli.ts';
import { eventually } from '../support/eventually.ts';
import { fillLibrary, jobsDone } from '../support/library.ts';
import type { TestServer } from '../support/server.ts';
import { keysIn } from '../support/temp-stores.ts';
import { newS3Stores } from '../support/test-stores.ts';
import { Places, s3Credentials, type Settings, startOn } from './kept-library.ts';
import { skipWithoutServer } from './nodes.ts';

describe('a scrub with DATABASE_URL and stores in S3', { skip: skipWithoutServer }, () => {
  let places: Places;
  let settings: Settings;
  let server: TestServer;
  let files: Storage;
  let keys: string[];
  before(async () => {
    places = await Places.make();
    const DATABASE_URL = await places.emptyDatabase('scrubbed');
    settings = { ...places.settings('node', { DATABASE_URL }), ...(await newS3Stores('second-bucket')) };
    server = await startOn(settings);
    await fillLibrary(server);
    files = await openStorage(settings['FILES_STORE'] as string);
    keys = await eventually(async () => {
      const found = await keysIn(files);
      assert.ok(
        found.some((key) => key.startsWith('variants/')) && found.some((key) => key.startsWith('cache/')),
      );
      return found;
    });
  });
  after(async () => {
    await server?.stop();
    await places?.[Symbol.asyncDispose]();
  });

  const scrub = async (...args: string[]): Promise<Finding[]> =>
    (await runJson(['scrub', ...args], { ...s3Credentials, ...settings })).findings as Finding[];

  async function flip(key: string): Promise<() => Promise<void>> {
    const bytes = await buffer((await files.get(key)) as Readable);
    const flipped = Buffer.from(bytes);
    flipped[Math.floor(bytes.length / 3)] = (bytes[Math.floor(bytes.length / 3)] as number) ^ 1;
    await files.put(key, flipped);
    return async () => void (await files.put(key, bytes));
  }
  const keyLike = (pattern: RegExp): string =>
    keys.find((key) => pattern.test(key)) ?? assert.fail(String(pattern));

  test('finds nothing wrong where nothing is', async () => {
    assert.deepEqual(await scrub(), []);
  });

  test('finds a damaged original in the store, whatever copy of it is here', async () => {
    const key = keyLike(/\/[0-9a-f]{24}$/);
    const restore = await flip(key);
    const found = (await scrub('--repair')).map(({ kind, problem, where, repair }) => ({
      kind,
      problem,
      where,
      repair,
    }));
    await restore();
    assert.deepEqual(found, [{ kind: 'original', problem: 'damaged', where: `files:${key}`, repair: null }]);
  });

  test('makes manifests, posters and variants again', async () => {
    const damaged = {
      manifest: keyLike(/\/[0-9a-f]{24}\.json$/),
      poster: keyLike(/poster\.jpg$/),
      kept: keyLike(/^variants\//),
      cached: keyLike(/^cache\//),
    };
    for (const key of Object.values(damaged)) await flip(key);
    const found = new Map(
      (await scrub('--repair')).map((finding) => [`${finding.problem} ${finding.where}`, finding]),
    );
    const repairOf = (key: string, problem = 'damaged') => found.get(`${problem} files:${key}`)?.repair;
    assert.equal(repairOf(damaged.manifest), 'will be written anew');
    assert.equal(repairOf(damaged.poster), 'made anew');
    assert.match(String(repairOf(damaged.kept)), /^removed/);
    assert.match(String(repairOf(damaged.cached)), /^removed/);
    assert.equal(repairOf(damaged.kept, 'missing'), 'made anew');
    assert.equal(found.size, 5, [...found.keys()].join('\n'));
    await jobsDone(server);
    assert.ok(await files.head(damaged.kept), 'in the store again');
    assert.equal(await files.head(damaged.cached), null);
    assert.deepEqual(await scrub(), []);
  });
});
