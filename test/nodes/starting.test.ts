// How nodes begin: many at once on an empty database, and the mistakes of an operator that must be refused in plain words.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { Nodes, skipWithoutServer } from './nodes.ts';
import type { TintypeNode } from './tintype-node.ts';

/** The bar is 2 s beyond the start of the program itself, which on a busy machine takes its time. */
const refusedWithinMs = 2000;

describe('nodes start', { skip: skipWithoutServer }, () => {
  test('many at once on an empty database: all come up, and everything is made once', async () => {
    await using nodes = await Nodes.start({ count: 6, environment: { MEMORY_CACHE_MB: '8' } });
    const users = await Promise.all(
      nodes.all.map((node) => node.api.askJson<{ account_id: string }>('/user/')),
    );
    assert.equal(new Set(users.map((user) => user.account_id)).size, 1);
    assert.equal((await nodes.query('select account_id from accounts')).length, 1);
    assert.equal((await nodes.query('select key_id from keys')).length, 1);
    const applied = await nodes.query<{ name: string }>('select name from migrations');
    assert.ok(applied.length > 0);
    for (const node of nodes.all) assert.doesNotMatch(node.said, /"level":[56]0/);
  });
});

describe('a node refuses to start', { skip: skipWithoutServer }, () => {
  let nodes: Nodes;
  let startMs: number;
  before(async () => {
    nodes = await Nodes.create({ count: 1 });
    startMs = await (nodes.all[0] as TintypeNode).start();
  });
  after(() => nodes[Symbol.asyncDispose]());

  async function refused(environment: Record<string, string>, sentence: RegExp): Promise<void> {
    const node = await nodes.add(environment);
    const startedAt = performance.now();
    node.spawn();
    const { code } = await node.ended();
    const tookMs = Math.round(performance.now() - startedAt);
    console.log(`refused after ${tookMs} ms: ${node.said.trim()}`);
    assert.equal(code, 1);
    assert.match(node.said, sentence);
    assert.equal(node.said.trim().split('\n').length, 1, 'one sentence, no stack');
    assert.ok(tookMs < startMs + refusedWithinMs, `only after ${tookMs} ms`);
  }
  const addressWith = (change: (url: URL) => void): string => {
    const url = new URL(nodes.databaseUrl);
    change(url);
    return url.href;
  };

  test('with another SECRET_KEY', () =>
    refused({ SECRET_KEY: 'another-secret-key-000000' }, /^SECRET_KEY is not the one this database/));

  test('on the data folder of another', () =>
    refused(
      { DATA_DIR: (nodes.all[0] as TintypeNode).options.dataDir },
      /is in use by another Tintype server: process \d+ .*choose another DATA_DIR/,
    ));

  test('as a user the database does not know', async () => {
    const password = 'a-password-nobody-may-see';
    const DATABASE_URL = addressWith((url) => {
      url.username = 'nobody_knows';
      url.password = password;
    });
    await refused(
      { DATABASE_URL },
      /^The database of DATABASE_URL cannot be used: .*role "nobody_knows" does not exist/,
    );
    assert.ok(!nodes.all.some((node) => node.said.includes(password)));
  });

  test('on a database that is not there', () =>
    refused(
      { DATABASE_URL: addressWith((url) => (url.pathname = '/no_such_database')) },
      /database "no_such_database" does not exist/,
    ));

  test('where nobody listens', () =>
    refused({ DATABASE_URL: addressWith((url) => (url.port = '9')) }, /ECONNREFUSED/));

  test('where somebody listens who never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    await refused(
      { DATABASE_URL: addressWith((url) => (url.port = String(port))) },
      /^The database of DATABASE_URL cannot be used: .*time/,
    );
    silent.close();
  });

  test('where its settings are not enough, naming each', async () => {
    const node = await nodes.add({ SECRET_KEY: '' });
    node.spawn();
    assert.equal((await node.ended()).code, 1);
    assert.match(node.said, /SECRET_KEY must be set with DATABASE_URL, the same on every node/);
  });

  test('as a worker without DATABASE_URL', async () => {
    const node = await nodes.add({ DATABASE_URL: '' }, ['worker']);
    node.spawn();
    assert.equal((await node.ended()).code, 1);
    assert.match(node.said, /^A worker needs DATABASE_URL/);
    await rm(node.options.dataDir, { recursive: true, force: true });
  });
});
