// Watches the system calls of a process that stores and deletes, and proves that nothing is reported as done before all
// it depends on was synced: the file and its folder; of a replacement the file before its rename and the folder after it;
// and the parents of every new folder.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const straceWorks = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
const skip = straceWorks ? false : 'NOT PROVEN HERE: strace is missing or may not trace';

interface Call {
  name: string;
  /** The file it acts on: the path of its descriptor, or its last path argument. */
  path: string;
  /** Of an open: what is written to it is on the disk when the write returns. */
  isSynced: boolean;
  startedAt: number;
  endedAt: number;
}

/** Runs a script that has `storage` and `done(label)`, and returns its calls in the order of the trace. */
function traceScript(root: string, body: string): Call[] {
  const script = `
    import { accessSync } from 'node:fs';
    import { createFileStorage } from ${JSON.stringify(import.meta.resolve('./file-storage.ts'))};
    const storage = createFileStorage({ root: ${JSON.stringify(root)} });
    const done = (label) => { try { accessSync('/done/' + label) } catch {} };
    ${body}`;
  const tracePath = `${root}.trace`;
  const traced = 'trace=fsync,/^(open|pwrite64|pwritev|rename|unlink|mkdir|f?access)(at2?)?$';
  const command = [process.execPath, '--input-type=module', '-e', script];
  // Slow syncs, so that other calls fall into their time as they would on a busy disk.
  const slowed = 'inject=fsync:delay_exit=8000';
  const options = ['-f', '-y', '-e', traced, '-e', slowed, '-o', tracePath];
  // Compiled sources would be written by the traced process too.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const result = spawnSync('strace', [...options, ...command], { encoding: 'utf8', env });
  assert.equal(result.status, 0, result.stderr);
  const calls = parseTrace(readFileSync(tracePath, 'utf8'));
  rmSync(tracePath);
  return calls;
}

/** A call of one thread may be split by lines of another: `… <unfinished ...>`, later `<... name resumed>`. */
function parseTrace(trace: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, Call>();
  for (const [line, text] of trace.split('\n').entries()) {
    const [, thread = '', resumed, name, rest = ''] =
      /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/.exec(text) ?? [];
    const begun = unfinished.get(thread);
    if (resumed && begun) {
      begun.endedAt = line;
      unfinished.delete(thread);
    }
    if (!name) continue;
    const paths = [...rest.matchAll(/^\d+<([^>]+)>|"(\/[^"]*)"/g)].map(
      ([, ofDescriptor, named]) => ofDescriptor ?? named,
    );
    // Some processors only have the newer names, such as `renameat`.
    const plainName = name.replace(/^f(?=access)|at2?$/g, '');
    const call = {
      name: plainName,
      path: paths.at(-1) ?? '',
      isSynced: rest.includes('O_SYNC'),
      startedAt: line,
      endedAt: line,
    };
    calls.push(call);
    if (rest.endsWith('<unfinished ...>')) unfinished.set(thread, call);
  }
  return calls;
}

function only(calls: Call[], name: string, path: string): Call {
  const found = calls.filter((call) => call.name === name && call.path === path);
  assert.equal(found.length, 1, `${name} ${path} was called ${found.length} times`);
  return found[0]!;
}

function assertSyncedBetween(calls: Call[], path: string, after: Call, before: Call): void {
  const found = calls.some(
    ({ name, path: synced, startedAt, endedAt }) =>
      name === 'fsync' && synced === path && startedAt > after.endedAt && endedAt < before.startedAt,
  );
  assert.ok(
    found,
    `${path} was not synced between ${after.name} ${after.path} and ${before.name} ${before.path}`,
  );
}

function withRoot(body: (root: string) => void): void {
  const root = mkdtempSync(join(tmpdir(), 'tintype-durable-'));
  try {
    body(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('open, write, fsync file and folder and its parents: only then is a commit done', { skip }, () => {
  withRoot((root) => {
    const path = join(root, 'b/0/file');
    const calls = traceScript(
      root,
      `const file = await storage.create('b/0/file');
      for (let n = 0; n < 6; n += 1) await file.write(Buffer.alloc(100_000));
      await file.commit();
      done('commit');`,
    );
    const done = only(calls, 'access', '/done/commit');
    const made = calls.find((call) => call.name === 'open' && call.path === path);
    assert.ok(made);
    const writes = calls.filter((call) => call.name.startsWith('pwrite') && call.path === path);
    assert.ok(writes.length >= 2);
    assertSyncedBetween(calls, path, writes.at(-1)!, done);
    assertSyncedBetween(calls, join(root, 'b/0'), made, done);
    assertSyncedBetween(calls, root, only(calls, 'mkdir', join(root, 'b')), done);
    assertSyncedBetween(calls, join(root, 'b'), only(calls, 'mkdir', join(root, 'b/0')), done);
  });
});

test('write, fsync file, rename, fsync folder and its parents: only then is a put done', { skip }, () => {
  withRoot((root) => {
    const calls = traceScript(
      root,
      `await storage.put('b/0/file', (async function* () {
        for (let n = 0; n < 6; n += 1) yield Buffer.alloc(100_000);
      })());
      done('put');`,
    );
    const done = only(calls, 'access', '/done/put');
    const renamed = only(calls, 'rename', join(root, 'b/0/file'));
    const writes = calls.filter(({ name }) => name === 'pwritev' || name === 'pwrite64');
    assert.ok(writes.length >= 2);
    assertSyncedBetween(calls, writes[0]!.path, writes.at(-1)!, renamed);
    assertSyncedBetween(calls, join(root, 'b/0'), renamed, done);
    assertSyncedBetween(calls, root, only(calls, 'mkdir', join(root, 'b')), done);
    assertSyncedBetween(calls, join(root, 'b'), only(calls, 'mkdir', join(root, 'b/0')), done);
  });
});

test('few bytes go through one synced write, before a rename and before a commit is done', { skip }, () => {
  withRoot((root) => {
    const calls = traceScript(
      root,
      `const file = await storage.create('b/0/file');
      for (let n = 0; n < 6; n += 1) await file.write(Buffer.alloc(100));
      await file.commit();
      done('commit');
      await storage.put('b/0/other', Buffer.alloc(100));`,
    );
    const isWrite = ({ name }: Call): boolean => name.startsWith('pwrite');
    const [written, writtenAside, ...others] = calls.filter(isWrite) as [Call, Call];
    assert.deepEqual(others, []);
    for (const { path } of [written, writtenAside])
      assert.equal(only(calls, 'open', path).isSynced, true, path);
    const done = only(calls, 'access', '/done/commit');
    assert.ok(written.path === join(root, 'b/0/file') && written.endedAt < done.startedAt);
    assertSyncedBetween(calls, join(root, 'b/0'), only(calls, 'open', written.path), done);
    assert.ok(writtenAside.endedAt < only(calls, 'rename', join(root, 'b/0/other')).startedAt);
  });
});

test(
  'puts at once share folder syncs, yet none is done before one that began after its rename',
  { skip },
  () => {
    withRoot((root) => {
      const keys = Array.from({ length: 40 }, (_, index) => `b/0/${index}`);
      const calls = traceScript(
        root,
        // One after another, so that renames meet a sync that is already under way.
        `await Promise.all(${JSON.stringify(keys)}.map(async (key, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 3));
        await storage.put(key, Buffer.alloc(1000));
        done(key);
      }));`,
      );
      for (const key of keys) {
        const done = only(calls, 'access', `/done/${key}`);
        const renamed = only(calls, 'rename', join(root, key));
        assertSyncedBetween(calls, join(root, 'b/0'), renamed, done);
        assertSyncedBetween(calls, root, only(calls, 'mkdir', join(root, 'b')), done);
        assertSyncedBetween(calls, join(root, 'b'), only(calls, 'mkdir', join(root, 'b/0')), done);
      }
      const folderSyncs = calls.filter(({ name, path }) => name === 'fsync' && path === join(root, 'b/0'));
      assert.ok(folderSyncs.length < keys.length, `${folderSyncs.length} syncs for ${keys.length} commits`);
    });
  },
);

test('a folder found on first use is trusted only after its parents were synced', { skip }, () => {
  withRoot((root) => {
    traceScript(root, `await storage.put('b/0/1', Buffer.from('x'));`);
    const calls = traceScript(root, `await storage.put('b/0/2', Buffer.from('x')); done('put');`);
    const done = only(calls, 'access', '/done/put');
    for (const folder of ['b', 'b/0']) {
      const found = only(calls, 'mkdir', join(root, folder));
      assertSyncedBetween(calls, dirname(found.path), found, done);
    }
  });
});

test('a delete is done when its folder is synced, also for who finds the key gone', { skip }, () => {
  withRoot((root) => {
    const calls = traceScript(
      root,
      `await storage.put('b/1', Buffer.from('x'));
      await storage.delete('b/1');
      done('first');
      await storage.delete('b/1');
      done('second');`,
    );
    const unlinks = calls.filter(({ name, path }) => name === 'unlink' && path === join(root, 'b/1'));
    assertSyncedBetween(calls, join(root, 'b'), unlinks[0]!, only(calls, 'access', '/done/first'));
    assertSyncedBetween(calls, join(root, 'b'), unlinks[1]!, only(calls, 'access', '/done/second'));
  });
});
