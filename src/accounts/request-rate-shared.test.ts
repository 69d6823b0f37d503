// Requests counted by two nodes in one PostgreSQL, here the one that runs in this process.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect, sql } from 'kysely';
import type { Tables } from '../platform/database/database.ts';
import { createRequestRate, type RequestRate } from './request-rate.ts';
import { countInDatabase } from './request-rate-shared.ts';
import { requestRateMigrations } from './request-rate-tables.ts';

let read: Kysely<Tables>;
let queries = 0;
before(async () => {
  const pglite = await PGlite.create();
  read = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }), log: () => void (queries += 1) });
  for (const migration of requestRateMigrations) await migration.up(read);
});
after(() => read.destroy());

/** A node whose clock is so far from that of the database. */
const node = (behindMs = 0): RequestRate =>
  createRequestRate(countInDatabase({ read, now: () => Date.now() + behindMs }));

async function allowedOf(
  nodes: readonly RequestRate[],
  attempts: number,
  account: string,
  perMinute: number,
) {
  const asked = Array.from({ length: attempts }, (_, index) =>
    (nodes[index % nodes.length] as RequestRate).count(account, perMinute),
  );
  return (await Promise.all(asked)).filter(({ allowed }) => allowed).length;
}

describe('over two nodes', () => {
  test('exactly the quota is allowed, apart for each account and limit', async () => {
    const nodes = [node(), node()];
    assert.equal(await allowedOf(nodes, 100, 'acc', 37), 37);
    assert.equal(await allowedOf(nodes, 100, 'other', 37), 37);
    assert.equal(await allowedOf(nodes, 100, 'acc', 38), 38);
  });

  test('fractions, and windows that are no whole number of milliseconds', async () => {
    const nodes = [node(), node()];
    const first = await (nodes[0] as RequestRate).count('fraction', 7.3);
    assert.deepEqual(first, { allowed: true, quota: 7, windowSeconds: 58, remaining: 6, resetSeconds: 58 });
    assert.equal(await allowedOf(nodes, 30, 'fraction', 7.3), 6);
  });

  test('windows are in the time of the database, whatever the clock of the node says', async () => {
    const behindMs = 86_400_000;
    const { resetSeconds } = await node(behindMs).count('late', 5);
    assert.ok(resetSeconds > 55 && resetSeconds <= 60, `${resetSeconds}`);
    const { rows } = await sql<{
      expire: string;
    }>`select expire from request_rates where key like '%late 5'`.execute(read);
    const endsInMs = Number(rows[0]?.expire) - Date.now();
    assert.ok(endsInMs > behindMs + 50_000 && endsInMs <= behindMs + 60_000, `${endsInMs}`);
  });
});

test('a window that is used up asks the database no more, until it ends', async () => {
  const one = node();
  assert.equal(await allowedOf([one], 3, 'flood', 2), 2);
  const before = queries;
  for (let time = 0; time < 50; time++) {
    const { allowed, remaining, resetSeconds } = await one.count('flood', 2);
    assert.deepEqual([allowed, remaining, resetSeconds <= 60 && resetSeconds > 50], [false, 0, true]);
  }
  assert.equal(queries, before);
  await one.count('flood', 300);
  assert.equal(queries, before + 1);
});

test('a database that does not answer is not waited for: the node counts for itself', async () => {
  const away = new Kysely<Tables>({
    dialect: new PGliteDialect({ pglite: () => new Promise<PGlite>(() => undefined) }),
  });
  const lonely = createRequestRate(countInDatabase({ read: away, now: () => Date.now() }));
  const startedMs = performance.now();
  assert.equal((await lonely.count('alone', 2)).allowed, true);
  assert.ok(performance.now() - startedMs < 1000);
  assert.equal((await lonely.count('alone', 2)).allowed, true);
  assert.equal((await lonely.count('alone', 2)).allowed, false);
});
