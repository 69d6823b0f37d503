// Lets the disk fail at every call a write makes, in a process of its own, and checks from outside that each failure is
// reported rightly, leaves nothing behind and heals: real errors of a full disk, and injected ones by strace.

import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFileStorage } from './file-storage.ts';

const errors = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EIO: 'internal',
  EROFS: 'internal',
  EMFILE: 'internal',
};
const calls = ['openat', 'pwrite64,pwritev', 'fsync', '/^mkdir(at)?$'];
const renames = '/^rename(at2?)?$';
// Two parts, so that bytes are written both on the way and at the end; and few, which one write syncs.
const ways = {
  put: {
    calls: [...calls, renames],
    code: `const parts = async function* () { yield Buffer.alloc(300_000); yield Buffer.alloc(5); };
      await storage.put(key, parts());`,
    size: '300005',
  },
  create: {
    calls,
    code: `const file = await storage.create(key);
      await file.write(Buffer.alloc(300_000));
      await file.write(Buffer.alloc(5));
      await file.commit();`,
    size: '300005',
  },
  'put of few bytes': {
    calls: [...calls, renames],
    code: 'await storage.put(key, Buffer.alloc(500));',
    size: '500',
  },
  'create of few bytes': {
    calls,
    code: `const file = await storage.create(key);
      await file.write(Buffer.alloc(500));
      await file.commit();`,
    size: '500',
  },
};

/** A process with one storage that runs a line of code and answers with its result or the code of its error. */
class StorageProcess {
  readonly root = mkdtempSync(join(tmpdir(), 'tintype-faults-'));
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  constructor(t: TestContext) {
    const script = `
      import { createInterface } from 'node:readline';
      import { createFileStorage } from ${JSON.stringify(import.meta.resolve('./file-storage.ts'))};
      const storage = createFileStorage({ root: ${JSON.stringify(this.root)} });
      const run = (line) => new Function('storage', 'return (async () => { ' + line + ' })()')(storage);
      for await (const line of createInterface({ input: process.stdin })) {
        console.log(await run(line).then((value) => value ?? 'ok', (error) => error.code));
      }`;
    // With one thread for files, the n-th call of the process is the n-th call strace counts.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
    this.#child = spawn(process.execPath, ['--input-type=module', '-e', script], { env });
    this.#child.stderr.pipe(process.stderr);
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    t.after(() => {
      this.#child.kill('SIGKILL');
      rmSync(this.root, { recursive: true });
    });
  }

  async run(line: string): Promise<string> {
    this.#child.stdin.write(`${line.replaceAll('\n', ' ')}\n`);
    return String((await this.#answers.next()).value);
  }

  async runWithFault(fault: string, line: string): Promise<string> {
    const tracer = spawn('strace', [
      '-f',
      '-o',
      '/dev/null',
      '-e',
      `inject=${fault}`,
      '-p',
      String(this.#child.pid),
    ]);
    const [said] = (await once(tracer.stderr, 'data')) as [Buffer];
    assert.match(String(said), /attached/);
    const answer = await this.run(line);
    tracer.kill('SIGINT');
    await once(tracer, 'exit');
    return answer;
  }

  has(key: string): boolean {
    return existsSync(join(this.root, key));
  }

  /** They are closed in the background. */
  async closed(descriptors: number): Promise<void> {
    for (let attempt = 0; attempt < 100 && this.descriptors() > descriptors; attempt += 1) await sleep(5);
    assert.equal(this.descriptors(), descriptors);
  }

  descriptors(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length;
  }

  staged(): string[] {
    return readdirSync(join(this.root, '.staging'));
  }
}

async function whyNotInjecting(): Promise<string | false> {
  const idle = spawn('sleep', ['5']);
  const tracer = spawn('strace', ['-e', 'inject=fsync:error=EIO', '-p', String(idle.pid)]);
  const said = await Promise.race([
    once(tracer, 'error').then(() => ''),
    once(tracer.stderr, 'data').then(([data]) => String(data)),
  ]);
  tracer.kill('SIGINT');
  idle.kill();
  return said.includes('attached') ? false : 'NOT PROVEN HERE: strace is missing or may not attach';
}

const skip = await whyNotInjecting();

for (const [way, { calls: callsOfWay, code: codeOfWay, size }] of Object.entries(ways)) {
  for (const call of callsOfWay) {
    test(`each ${call} of a ${way} fails in turn: right code, nothing left, heals`, { skip }, async (t) => {
      const storage = new StorageProcess(t);
      let folder = 0;
      const store = () => `
        const key = 'b/${(folder += 1)}/x';
        ${codeOfWay}
        return (await storage.head(key)).size;`;
      assert.equal(await storage.run(store()), size);
      const descriptors = storage.descriptors();
      for (const [error, code] of Object.entries(errors)) {
        let fired = 0;
        for (; fired < 20; fired += 1) {
          const answer = await storage.runWithFault(`${call}:error=${error}:when=${fired + 1}`, store());
          assert.deepEqual(storage.staged(), []);
          await storage.closed(descriptors);
          if (answer === size) break;
          assert.equal(answer, code, `${error} at call ${fired + 1}`);
          // What a put had already renamed when its folder could not be synced is whole, and the caller's to delete.
          if (way.startsWith('create')) assert.equal(storage.has(`b/${folder}/x`), false);
          assert.equal(await storage.run(store()), size);
        }
        assert.ok(fired > 0, `${error} was never met`);
      }
    });
  }
}

test('a replacement that fails leaves the old bytes or all of the new', { skip }, async (t) => {
  const storage = new StorageProcess(t);
  const sizeOfKept = `return (await storage.head('b/kept')).size`;
  for (const [call, sizes] of [
    ['pwrite(64|v)', ['10']],
    ['rename', ['10']],
    ['fsync', ['10', '20']],
  ] as const) {
    for (const when of [1, 2]) {
      await storage.run(`await storage.put('b/kept', Buffer.alloc(10))`);
      const answer = await storage.runWithFault(
        `/^${call}(at2?)?$:error=EIO:when=${when}`,
        `await storage.put('b/kept', Buffer.alloc(20))`,
      );
      if (answer === 'ok') continue;
      assert.equal(answer, 'internal');
      assert.ok((sizes as readonly string[]).includes(await storage.run(sizeOfKept)));
    }
  }
});

test('a delete that fails says so and can be repeated', { skip }, async (t) => {
  const storage = new StorageProcess(t);
  await storage.run(`await storage.put('b/x', Buffer.alloc(10))`);
  const remove = `await storage.delete('b/x')`;
  for (const call of ['/^unlink(at)?$', 'openat', 'fsync']) {
    assert.equal(await storage.runWithFault(`${call}:error=EIO:when=1`, remove), 'internal', call);
  }
  assert.equal(await storage.run(remove), 'ok');
  assert.equal(await storage.run(`return String(await storage.head('b/x'))`), 'null');
});

test(
  'a put that fails and cannot remove its file says what failed first, and the next sweep takes the file',
  { skip },
  async (t) => {
    const storage = new StorageProcess(t);
    const put = `await storage.put('b/x', (async function* () { yield Buffer.alloc(300_000); throw { code: 'mine' }; })())`;
    assert.equal(await storage.runWithFault('/^unlink(at)?$:error=EIO:when=1', put), 'mine');
    assert.equal(storage.staged().length, 1);
    assert.equal(await storage.run('return await storage.sweep({ olderThanMs: 3_600_000 })'), '1');
    assert.deepEqual(storage.staged(), []);
  },
);

test('a discard that cannot remove its file does not fail', { skip }, async (t) => {
  const storage = new StorageProcess(t);
  const discard = `const file = await storage.create('b/x'); await file.localPath(); await file.discard();`;
  assert.equal(await storage.runWithFault('/^unlink(at)?$:error=EIO:when=1', discard), 'ok');
  assert.equal(storage.has('b/x'), true);
});

test('a probe reports a disk that cannot be written', { skip }, async (t) => {
  const storage = new StorageProcess(t);
  assert.equal(await storage.run('await storage.probe()'), 'ok');
  assert.equal(await storage.runWithFault('openat:error=EROFS:when=1', 'await storage.probe()'), 'internal');
  const unwritable = 'pwrite64,pwritev:error=ENOSPC:when=1';
  assert.equal(await storage.runWithFault(unwritable, 'await storage.probe()'), 'disk_full');
  assert.equal(await storage.run('await storage.probe()'), 'ok');
});

test('a disk that is really full: disk_full, nothing left, works again once there is room', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'tintype-full-'));
  t.after(() => rmSync(root, { recursive: true }));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tintype-test', root]).status !== 0) {
    t.skip('NOT PROVEN HERE: a small disk cannot be mounted');
    return;
  }
  try {
    const storage = createFileStorage({ root });
    const parts = async function* () {
      for (let part = 0; part < 30; part += 1) yield Buffer.alloc(70_001);
    };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(storage.put('a/large', parts()), { code: 'disk_full', status: 507 });
      assert.deepEqual(readdirSync(join(root, '.staging')), []);
      const file = await storage.create('a/large');
      const filling = async (): Promise<void> => {
        for await (const part of parts()) await file.write(part);
      };
      await assert.rejects(filling(), { code: 'disk_full', status: 507 });
      assert.equal(await storage.head('a/large'), null);
    }
    await storage.put('a/small', Buffer.alloc(800_000));
    await assert.rejects(storage.put('a/small', Buffer.alloc(800_000)), { code: 'disk_full' });
    assert.equal((await storage.head('a/small'))?.size, 800_000);
    await storage.delete('a/small');
    await storage.put('a/small', Buffer.alloc(800_000));
  } finally {
    // Lazily, so that a descriptor left open by a failure does not leave the mount behind.
    spawnSync('umount', ['-l', root]);
  }
});
