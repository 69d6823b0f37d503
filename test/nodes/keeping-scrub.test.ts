// A scrub of what several nodes share: damage in S3 is found past the copies of this machine, and repaired where it can be.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

  async function flip(key: string): Promise<void> {
    const bytes = await buffer((await files.get(key)) as Readable);
    const flipped = Buffer.from(bytes);
    flipped[Math.floor(bytes.length / 3)] = (bytes[Math.floor(bytes.length / 3)] as number) ^ 1;
    await files.put(key, flipped);
  }
  const keyLike = (pattern: RegExp): string =>
    keys.find((key) => pattern.test(key)) ?? assert.fail(String(pattern));

  test('finds nothing wrong where nothing is', async () => {
    assert.deepEqual(await scrub(), []);
  });

  const briefly = ({ kind, problem, where, repair }: Finding) => ({ kind, problem, where, repair });
  const copyOf = (key: string): string => join(settings['DATA_DIR'] as string, 'copies/files', key);

  test('puts a damaged original back from the copy on this machine', async () => {
    const key = keyLike(/\/[0-9a-f]{24}$/);
    const bytes = await buffer((await files.get(key)) as Readable);
    await flip(key);
    const damaged = { kind: 'original', problem: 'damaged', where: `files:${key}` };
    assert.deepEqual((await scrub()).map(briefly), [{ ...damaged, repair: null }]);
    const repair = 'put back from the copy on this machine';
    assert.deepEqual((await scrub('--repair')).map(briefly), [{ ...damaged, repair }]);
    assert.deepEqual(await buffer((await files.get(key)) as Readable), bytes);
    assert.deepEqual(await scrub(), []);
  });

  test('finds a damaged copy, removes it, and does not trust it', async () => {
    const key = keyLike(/\/[0-9a-f]{24}$/);
    const copy = await readFile(copyOf(key));
    await writeFile(copyOf(key), Buffer.from(copy).fill(0, 10, 20));
    const damaged = { kind: 'copy', problem: 'damaged', where: copyOf(key) };
    assert.deepEqual((await scrub()).map(briefly), [{ ...damaged, repair: null }]);
    await flip(key);
    const repair = 'removed; it is fetched again when it is needed';
    assert.deepEqual((await scrub('--repair')).map(briefly), [
      { kind: 'original', problem: 'damaged', where: `files:${key}`, repair: null },
      { ...damaged, repair },
    ]);
    await files.put(key, copy);
    await assert.rejects(readFile(copyOf(key)), { code: 'ENOENT' });
    assert.deepEqual(await scrub(), []);
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
