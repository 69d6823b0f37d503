import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Finding } from '../../src/keeping/scrub/finding.ts';
import { scrubAll, scrubStart } from '../../src/keeping/scrub/scrub.ts';
import { originalKey } from '../../src/objects/object-keys.ts';
import { untilStatus } from '../support/film-server.ts';
import { filesBelow, fillLibrary, jobsDone } from '../support/library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runCli, runJson, startCli } from './run-cli.ts';

let dataDir: string;
let server: TestServer;
let settings: Record<string, string>;
let ids: string[];
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tintype-scrub-'));
  server = await startServer({}, { dataDir });
  settings = { DATA_DIR: dataDir, BASE_URL: server.url };
  ids = await fillLibrary(server);
});
after(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const storedFolders = ['files', 'storage', 'variants', 'cache'];
async function storedFiles(): Promise<string[]> {
  return (await Promise.all(storedFolders.map((folder) => filesBelow(join(dataDir, folder))))).flat();
}

/** In this process, beside the service in it. */
async function scrubHere(): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { database, stores } = server.app.core;
  await scrubAll(
    {
      database,
      stores,
      sharedStores: server.app.core.sharing.stores,
      variantFolders: { kept: join(dataDir, 'variants'), cache: join(dataDir, 'cache') },
      copiesFolder: join(dataDir, 'copies'),
      only: null,
      repair: false,
      pace: async () => undefined,
      remakePoster: () => assert.fail('nothing is to be repaired'),
      remakeVariant: () => assert.fail('nothing is to be repaired'),
      report: (finding) => void findings.push(finding),
      onFile: () => undefined,
    },
    scrubStart,
    { signal: new AbortController().signal, onState: async () => undefined },
  );
  return findings;
}

function byName([one]: unknown[], [other]: unknown[]): number {
  return String(one) < String(other) ? -1 : 1;
}

async function flip(file: string, at: number): Promise<() => Promise<void>> {
  await using handle = await open(file, 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, at);
  const flipped = Buffer.from([(byte[0] as number) ^ (1 << (at % 8))]);
  await handle.write(flipped, 0, 1, at);
  return async () => {
    await using again = await open(file, 'r+');
    await again.write(byte, 0, 1, at);
  };
}

test('a flipped byte is found wherever it is, in every stored file', async () => {
  assert.deepEqual(await scrubHere(), []);
  const files = await storedFiles();
  assert.ok(files.length > 40, `${files.length} files`);
  const kinds = new Set<string>();
  for (const [index, file] of files.entries()) {
    const { size } = await stat(file);
    for (const share of [0, (index * 0.618) % 1, 0.9999]) {
      const at = Math.floor(share * size);
      const mend = await flip(file, at);
      const findings = (await scrubHere()).filter(({ problem }) => problem !== 'unnamed');
      await mend();
      assert.ok(findings.length > 0, `byte ${at} of ${size} in ${file}`);
      for (const { kind } of findings) kinds.add(kind);
      // A wrong index accuses what it lists; all else is named itself.
      const key = file.slice(dataDir.length + 1).replace('/', ':');
      if (!file.endsWith('files.json'))
        assert.deepEqual(
          [...new Set(findings.map(({ where }) => where))],
          [file.includes('/variants/') || file.includes('/cache/') ? file : key],
        );
    }
  }
  assert.deepEqual([...kinds].sort(), [
    'bucket_manifest',
    'manifest',
    'original',
    'poster',
    'stream',
    'variant',
  ]);
  assert.deepEqual(await scrubHere(), []);
});

test('what is missing or cut short is found, and what no record names is told of and left', async () => {
  const film = await server.app.core.database.read
    .selectFrom('objects')
    .select('film')
    .where('kind', '=', 'video')
    .executeTakeFirstOrThrow();
  const { revision } = JSON.parse(film.film as string).stream;
  const files = (await storedFiles()).filter((file) => !file.includes('/cache/'));
  for (const file of files) {
    const bytes = await readFile(file);
    await truncate(file, bytes.length - 1);
    assert.ok((await scrubHere()).length > 0, `${file} cut short`);
    await rm(file);
    // Nothing tells that a variant was there that nobody asked to be kept, nor that a stream without index was published.
    const isTold = !file.includes('/variants/') && (!file.endsWith('files.json') || file.includes(revision));
    const { length } = await scrubHere();
    await writeFile(file, bytes);
    if (isTold) assert.ok(length > 0, `${file} missing`);
  }
  const { database } = server.app.core;
  const { bucket_id: bucketId } = await database.read
    .selectFrom('accounts')
    .selectAll()
    .executeTakeFirstOrThrow();
  const stray = join(dataDir, 'files', originalKey(bucketId, '0123456789abcdef01234567'));
  await mkdir(join(stray, '..'), { recursive: true });
  await writeFile(stray, 'left behind');
  await utimes(stray, 1, 1);
  const { findings } = await runJson(['scrub'], settings);
  assert.deepEqual(
    findings.map(({ kind, where }: Finding) => [kind, where]),
    [['unnamed', stray.slice(dataDir.length + 1).replace('/', ':')]],
  );
  assert.equal(await readFile(stray, 'utf8'), 'left behind');
  await rm(stray);
});

test('a repair makes again what can be made again beside the service, and names what cannot', async () => {
  const { database } = server.app.core;
  const rows = await database.read.selectFrom('objects').selectAll().orderBy('seq').execute();
  const film = rows.find(({ kind }) => kind === 'video');
  assert.ok(film);
  const { revision } = JSON.parse(film.film as string).stream;
  const files = await storedFiles();
  const fileOf = (test: (file: string) => boolean): string => {
    const found = files.find(test);
    assert.ok(found);
    return found;
  };
  const original = fileOf((file) => file.endsWith(`/${rows[0]?.generation}`));
  const manifest = fileOf((file) => file.endsWith(`${rows[1]?.generation}.json`));
  const damaged = [
    original,
    manifest,
    fileOf((file) => file.endsWith('bucket.json')),
    fileOf((file) => file.endsWith('poster.jpg')),
    fileOf((file) => file.endsWith('.m4s') && file.includes(revision)),
    fileOf((file) => file.includes('/cache/') && file.endsWith('.webp')),
  ];
  const mends = await Promise.all(damaged.map((file) => flip(file, 20)));
  const kept = await database.read.selectFrom('kept_variants').selectAll().executeTakeFirstOrThrow();
  const keptFile = fileOf((file) => file.includes('/variants/') && file.endsWith(kept.file));
  await rm(keptFile);

  const found = await runCli(['scrub'], settings);
  assert.equal(found.code, 1);
  assert.match(found.stdout, /7 damaged or missing, 0 repaired/);
  assert.match(found.stdout, /tintype scrub --repair/);
  assert.match(found.stdout, new RegExp(`object ${rows[0]?.object_id}, account acc_`));

  const repaired = await runCli(['scrub', '--repair', '--json'], settings);
  assert.equal(repaired.code, 1, 'the original is still damaged');
  const findings = JSON.parse(repaired.stdout).findings as Finding[];
  assert.deepEqual(findings.map(({ kind, repair }) => [kind, repair !== null]).sort(byName), [
    ['bucket_manifest', true],
    ['manifest', true],
    ['original', false],
    ['poster', true],
    ['stream', true],
    ['variant', true],
    ['variant', true],
  ]);
  await mends[0]?.();
  await untilStatus(server, film.object_id);
  await jobsDone(server);
  // The damaged stream is an earlier one now, and would go by itself in some hours.
  const again = await runCli(['scrub', '--repair', '--json'], settings);
  assert.equal(again.code, 0);
  assert.match(JSON.parse(again.stdout).findings[0].repair, /a newer stream is in its place/);
  assert.deepEqual(await scrubHere(), []);
  assert.equal((await server.call(`/get/${ids[0]}`)).status, 200);
  assert.deepEqual(await runJson(['scrub'], settings).then(({ findings: left }) => left), []);
});

test('one that was killed goes on where it stopped, with what it had found', async () => {
  const files = await storedFiles();
  const original = files.find((file) => /\/files\/.*\/[0-9a-f]{24}$/.test(file)) as string;
  const mend = await flip(original, 3);
  const { child, ended } = startCli(['scrub', '--mb-per-second', '1'], settings);
  const journal = join(dataDir, 'scrub.json');
  // It says so for a moment only.
  const givesUpAt = Date.now() + 20_000;
  while (!(await readFile(journal, 'utf8').catch(() => '')).includes('"phase":"variants"')) {
    assert.ok(Date.now() < givesUpAt);
    await pause(5);
  }
  child.kill('SIGKILL');
  await ended;
  await mend();
  const report = await runJson(['scrub', '--continue'], settings);
  assert.deepEqual(
    report.findings.map(({ kind }: Finding) => kind),
    ['original'],
  );
  const none = await runCli(['scrub', '--continue'], settings);
  assert.equal(none.code, 2);
});
