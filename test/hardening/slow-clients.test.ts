// Two thousand slow heads and two hundred slow uploads against the service as its own process: nobody else notices, they
// are all gone within a minute, an honest slow line is not mistaken for one of them, and nothing of them is left.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { head, sendRaw } from '../support/raw-http.ts';
import { type Service, spawnService } from '../support/spawn-service.ts';
import { descriptorLimit, openDescriptors } from './descriptors.ts';
import { GoodRequests, percentile, type Took } from './good-requests.ts';
import { comparison, type Seen, slowAttack, steady } from './slow-attack.ts';
import { secondsUntilGone } from './slow-clients.ts';
import { evasions, heads, uploads } from './slow-kinds.ts';
import { filesInStaging, generationsInRows, originalsOnDisk } from './stored-files.ts';

const goneWithinSeconds = 60;
const floorMs = 20;
const neededDescriptors = 4096;
const warmUpMs = 1000;
const idleMs = 5000;
/** Tried again only when a service that nobody attacks could not have been judged either. */
const maxAttacks = 3;

const limit = await descriptorLimit();
const skip = limit < neededDescriptors && `only ${limit} open files are allowed; needs ${neededDescriptors}`;
if (skip) console.error(`\nSLOW CLIENTS NOT TRIED: ${skip} (ulimit -n)\n`);

suite('slow clients', { skip }, () => {
  let root: string;
  let dataDir: string;
  let service: Service;
  /** The same service without an attack, at the same time: tells whether the machine has become slower by itself. */
  let beside: Service;
  let file: Buffer;
  let descriptorsBefore: number;
  let attacks = 0;
  let idle: Took;
  let seen: Seen;

  const pid = (): number => service.process.pid as number;
  const upload = (to: Service, objectId: string) => {
    const body = multipart([{ name: 'object', value: objectId }, filePart(file)]);
    const type = { 'Content-Type': multipartType, 'Content-Length': body.length };
    return sendRaw(to, Buffer.concat([Buffer.from(head('POST', '/upload/', type)), body]));
  };
  const bar = (): number => Math.max(floorMs, 2 * percentile(idle.attacked, 0.99));
  /** Too slow, while the service that nobody attacks already took more than half of what is allowed. */
  const isSpoilt = (): boolean => {
    const tooSlow = [seen.withHeads, seen.withUploads].filter(
      ({ attacked }) => percentile(attacked, 0.99) > bar(),
    );
    const isTheMachine = ({ beside: unharmed }: Took): boolean => percentile(unharmed, 0.99) > bar() / 2;
    if (tooSlow.length === 0 || !tooSlow.every(isTheMachine)) return false;
    console.log(`  NOT JUDGED, the machine was busy: ${tooSlow.map(comparison).join('; ')}`);
    return true;
  };
  const start = async (folder: string): Promise<[Service, string[]]> => {
    const started = await spawnService(folder, { LOG_LEVEL: 'error' });
    const stored = await upload(started, 'good');
    assert.equal(stored.status, 200, stored.text);
    const { object_url: address } = stored.body as { object_url: string };
    return [started, [`${address}h-200_w-200.webp`, `${started.url}/health/live`]];
  };

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'tintype-slow-'));
    dataDir = join(root, 'attacked');
    file = await picture(256, 256);
    const urls: { attacked: string[]; beside: string[] } = { attacked: [], beside: [] };
    [service, urls.attacked] = await start(dataDir);
    [beside, urls.beside] = await start(join(root, 'beside'));
    const good = new GoodRequests(urls);
    const measure = async (forMs: number): Promise<Took> => {
      good.start();
      await pause(forMs);
      return good.stop();
    };
    try {
      await measure(warmUpMs);
      descriptorsBefore = await openDescriptors(pid());
      do {
        idle = await measure(idleMs);
        console.log(`  good requests alone ${comparison(idle)}`);
        seen = await slowAttack({ url: service.url, pid: pid(), dataDir }, good, file);
        attacks += 1;
      } while (attacks < maxAttacks && isSpoilt());
    } finally {
      await good.close();
    }
  });
  after(async () => {
    for (const started of [service, beside]) {
      started?.process.kill('SIGKILL');
      await started?.exited;
    }
    await rm(root, { recursive: true, force: true });
  });

  test('good requests hardly notice', () => {
    for (const took of [seen.withHeads, seen.withUploads]) {
      const { attacked, beside: unharmed } = took;
      assert.ok(attacked.length > 500, `${attacked.length} requests`);
      assert.ok(percentile(attacked, 0.99) <= bar(), `${comparison(took)}; may be ${bar().toFixed(1)} ms`);
      // A service that stands still for seconds makes one request slow, and the others never come.
      assert.ok(attacked.length >= unharmed.length / 2, comparison(took));
    }
  });

  for (const [what, count, kinds, code] of [
    ['heads', 2000, heads, 'headers_too_slow'],
    ['uploads', 200, uploads(Buffer.alloc(0)), 'body_too_slow'],
  ] as const) {
    test(`slow ${what} are told so and gone`, () => {
      const clients = seen.slow.of(...kinds);
      assert.equal(clients.length, count);
      assert.ok(secondsUntilGone(clients) <= goneWithinSeconds, `${secondsUntilGone(clients)} s`);
      for (const { answer } of clients) {
        assert.match(answer, /^HTTP\/1\.1 408 [^]+\r\n\r\n\{"error":"[^"]+"\}$/);
        assert.ok(
          answer.includes(`X-Error-Code: ${code}\r\n`) || answer.includes(`x-error-code: ${code}\r\n`),
        );
      }
    });
  }

  for (const kind of evasions(Buffer.alloc(0))) {
    test(`gone is also who sends slowly ${kind.name}`, () => {
      const clients = seen.slow.of(kind);
      assert.equal(clients.length, kind.count);
      const seconds = secondsUntilGone(clients);
      assert.ok(seconds <= goneWithinSeconds, `${seconds.toFixed(1)} s`);
    });
  }

  test('a steady upload beside them is never cut', () => {
    const { answer, seconds } = seen.steadyEnd;
    assert.equal(answer.status, 200, answer.text);
    assert.ok(seconds > steady.sizeBytes / steady.bytesPerSecond - 1, `it was not slow: ${seconds} s`);
  });

  test('nothing of them is left', async () => {
    assert.ok(seen.mostOriginals > 2, 'some had reached the disk');
    await eventually(async () => {
      assert.deepEqual(await originalsOnDisk(dataDir), generationsInRows(dataDir));
      assert.equal(generationsInRows(dataDir).length, 1 + attacks, 'the good one and the steady ones');
      assert.deepEqual(await filesInStaging(dataDir), []);
      const open = await openDescriptors(pid());
      assert.ok(Math.abs(open - descriptorsBefore) <= 8, `${descriptorsBefore} → ${open} descriptors`);
    }, 20_000);
    assert.equal((await upload(service, 'slow-1')).status, 200, 'the next good upload');
    assert.doesNotMatch(service.output(), /"level":[56]0|garbage collection/);
  });
});
