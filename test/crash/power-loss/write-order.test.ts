// Watches the system calls of the real service and proves that each answer is sent only after everything it promises
// has been synced, in the one order that survives a power cut at any point.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { Service } from '../service.ts';
import { type Call, readTrace, skipWithoutStrace } from '../strace.ts';
import { seededRandom } from '../../support/random.ts';
import { uploadBody, UploadMaker } from '../uploads.ts';

const traced = 'trace=fsync,fdatasync,write,writev,sendto,sendmsg,/^(open|pwrite|rename|unlink|mkdir)';
const objectId = 'kept-through-power-loss';

suite('order of writes', { skip: skipWithoutStrace }, () => {
  let folder: string;
  let dataDir: string;
  let calls: Call[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tintype-power-'));
    dataDir = join(folder, 'new', 'data');
    const traceFile = join(folder, 'trace');
    const under = ['strace', '-f', '--seccomp-bpf', '-y', '-s', '2000', '-e', traced, '-o', traceFile];
    // Without background jobs, so that all that is written is written for the requests made here.
    const service = await Service.start({ dataDir, under, args: ['--no-jobs'] });
    await service.ready();
    const { api } = service;
    const upload = (await UploadMaker.create(seededRandom(1))).make(objectId);
    await api.ask('/upload/', { method: 'POST', body: uploadBody(upload) });
    await api.ask(`/update/${objectId}`, { method: 'POST', body: { tags: ['updated'] } });
    await api.ask(`/delete/${objectId}`, { method: 'DELETE' });
    await service.killGroup();
    calls = readTrace(traceFile);
  });
  after(() => rm(folder, { recursive: true }));

  /** The n-th answer that names the object: to the upload, the update and the delete. */
  function answer(index: number): Call {
    const answers = calls.filter(({ path, text }) => /^(socket|TCP)/.test(path) && text.includes(objectId));
    assert.equal(answers.length, 3);
    return answers[index] as Call;
  }

  function only(name: string, matches: (call: Call) => boolean): Call {
    const found = calls.filter((call) => call.name === name && matches(call));
    assert.equal(found.length, 1, `${name} was called ${found.length} times`);
    return found[0] as Call;
  }

  /** A sync of the path that began after the one call had ended, and ended before the other began. */
  function assertSynced(path: string, since: Call, until: Call): Call {
    const sync = calls.find(
      (call) =>
        /^f(data)?sync$/.test(call.name) &&
        call.path === path &&
        call.begun > since.ended &&
        call.ended < until.begun,
    );
    const between = `${since.name} ${since.path} and ${until.name} ${until.path}`;
    assert.ok(sync, `${path} was not synced between ${between}`);
    return sync;
  }

  /** Something was committed between the two, and all of it was synced. */
  function assertCommitted(since: Call, until: Call): void {
    const log = join(dataDir, 'tintype.db-wal');
    const writes = calls.filter(
      ({ name, path, begun }) =>
        name.startsWith('pwrite') && path === log && begun > since.ended && begun < until.begun,
    );
    assert.ok(writes.length > 0, 'nothing was written to the database before the answer');
    for (const write of writes) assertSynced(log, write, until);
  }

  test('upload: name and bytes, file and folder, database, answer', () => {
    const made = only(
      'open',
      ({ path, text }) => /\/files\/.*\/[0-9a-f]{24}$/.test(path) && text.includes('O_CREAT'),
    );
    const writes = calls.filter(({ name, path }) => name.startsWith('pwrite') && path === made.path);
    assert.ok(writes.length > 0);
    for (const write of writes) assertCommitted(assertSynced(made.path, write, answer(0)), answer(0));
    assertCommitted(assertSynced(dirname(made.path), made, answer(0)), answer(0));
  });

  test('upload: every folder that was made for it, up to the one that was there before', () => {
    const made = calls.filter(
      ({ name, path, text }) =>
        name === 'mkdir' && path.startsWith(join(folder, 'new')) && text.endsWith('= 0'),
    );
    const kept = made.filter(({ path }) => !/\/(\.staging|(?:variants|cache).*)$/.test(path));
    assert.ok(kept.some(({ path }) => path === dataDir));
    for (const call of kept) assertSynced(dirname(call.path), call, answer(0));
  });

  test('update: database, answer', () => assertCommitted(answer(0), answer(1)));

  test('delete: database, manifest, folder, answer', () => {
    const removed = only('unlink', ({ path }) => /\/[0-9a-f]{24}\.json$/.test(path));
    assertCommitted(answer(1), removed);
    assertSynced(dirname(removed.path), removed, answer(2));
  });
});
