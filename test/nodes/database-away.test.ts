// The database stopped, frozen, slow and cut off: errors come at once and say so, files already known are served, nothing
// acknowledged is lost, and everything works again by itself. OUTAGE_SECONDS for longer ones.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { Line } from './line.ts';
import { Nodes, skipWithoutServer } from './nodes.ts';
import { assertServed, Outage } from './outage.ts';
import { missingRoot, OwnPostgres } from './own-postgres.ts';
import type { TintypeNode } from './tintype-node.ts';

const outageMs = 1000 * Number(process.env['OUTAGE_SECONDS'] ?? 10);
const skip = skipWithoutServer || missingRoot();

describe('while the database is away', { skip, timeout: 600_000 + 5 * outageMs }, () => {
  let server: OwnPostgres;
  let line: Line;
  let nodes: Nodes;
  let outage: Outage;
  before(async () => {
    server = await OwnPostgres.start();
    line = await Line.to(server.url);
    nodes = await Nodes.create({ count: 2, databaseUrl: server.url });
    // One of them far away.
    (nodes.all[1] as TintypeNode).options.environment['DATABASE_URL'] = line.url;
    await Promise.all(nodes.all.map((node) => node.start()));
    outage = await Outage.prepare(nodes);
  });
  after(async () => {
    await nodes?.[Symbol.asyncDispose]();
    await line?.[Symbol.asyncDispose]();
    server?.[Symbol.dispose]();
  });

  test('stopped', async () => {
    const seen = await outage.during('stopped', async () => {
      server.stop();
      await sleep(outageMs);
      server.start();
    });
    assert.ok(seen.apiErrors > 10);
    assertServed(seen);
  });

  test('frozen', async () => {
    const seen = await outage.during('frozen', async () => {
      server.freeze();
      await sleep(outageMs);
      server.thaw();
    });
    assert.ok(seen.apiErrors > 10);
    assertServed(seen);
  });

  test('cut off again and again', async () => {
    const seen = await outage.during('cut', async () => {
      for (let time = 0; time < 10; time++) {
        line.cut();
        await sleep(outageMs / 10);
      }
    });
    assertServed(seen);
  });

  test('slow: it works, only slower', async () => {
    const seen = await outage.during('slow, 100 ms each way', async () => {
      line.latencyMs = 100;
      await sleep(outageMs);
      line.latencyMs = 0;
    });
    assert.equal(seen.apiErrors, 0);
    assertServed(seen);
  });

  test('so slow that nobody would wait', async () => {
    const seen = await outage.during('slow, 2 s each way', async () => {
      line.latencyMs = 2000;
      await sleep(outageMs);
      line.latencyMs = 0;
    });
    assert.ok(seen.apiErrors > 10);
    assertServed(seen);
  });
});
