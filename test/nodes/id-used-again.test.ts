// An id that was deleted and used again: from the moment the new upload is acknowledged no node shows old bytes, not even one
// that was frozen meanwhile, or lost its line to the database.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Answer } from '../crash/api.ts';
import { sha256 } from '../crash/uploads.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { Line } from './line.ts';
import { Nodes, skipWithoutServer } from './nodes.ts';
import type { TintypeNode } from './tintype-node.ts';

const rounds = 6;

describe('an id that is used again at once on another node', { skip: skipWithoutServer }, () => {
  let nodes: Nodes;
  /** From the other node to the database. */
  let line: Line;
  let here: TintypeNode;
  let there: TintypeNode;
  let pictures: Buffer[];
  let address: string;
  before(async () => {
    nodes = await Nodes.create({ count: 2 });
    [here, there] = nodes.all as [TintypeNode, TintypeNode];
    line = await Line.to(nodes.databaseUrl);
    there.options.environment['DATABASE_URL'] = line.url;
    await Promise.all([here.start(), there.start()]);
    pictures = await Promise.all(Array.from({ length: rounds }, (_, index) => picture(40 + index, 30)));
    const { bucket_id: bucket } = await here.api.askJson<{ bucket_id: string }>('/user/');
    address = `/files/${bucket}/again/original`;
  });
  afterEach(() => {
    line.latencyMs = 0;
  });
  after(async () => {
    await nodes?.[Symbol.asyncDispose]();
    await line?.[Symbol.asyncDispose]();
  });

  async function upload(file: Buffer, key?: string): Promise<void> {
    const body = new FormData();
    body.append('object', 'again');
    body.append('file', new Blob([new Uint8Array(file)]), 'x.jpg');
    const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
    await here.api.ask('/upload/', { method: 'POST', body, headers });
  }
  const replace = async (file: Buffer): Promise<void> => {
    await here.api.ask('/delete/again', { method: 'DELETE' });
    await upload(file);
  };
  const shown = async (): Promise<string> => sha256((await there.api.ask(address)).bytes);
  /** Several times, so that it is answered from memory. */
  async function seen(file: Buffer): Promise<void> {
    for (let time = 0; time < 3; time++) assert.equal(await shown(), sha256(file));
  }
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of there.members()) process.kill(pid, name);
  };

  test('shows its new bytes there, however late it hears of the deletion', async () => {
    const [first, ...others] = pictures as [Buffer, ...Buffer[]];
    await upload(first);
    await seen(first);
    for (const [index, file] of others.entries()) {
      line.latencyMs = index * 50;
      await replace(file);
      assert.equal(await shown(), sha256(file), `${line.latencyMs} ms late`);
      await seen(file);
    }
  });

  test('shows them when a repeat of the upload is answered before the first', async () => {
    const [first, second] = pictures as [Buffer, Buffer];
    await replace(first);
    await seen(first);
    line.latencyMs = 200;
    await here.api.ask('/delete/again', { method: 'DELETE' });
    const unanswered = upload(second, 'once');
    await eventually(() => here.api.ask('/get/again'));
    await upload(second, 'once');
    assert.equal(await shown(), sha256(second));
    await unanswered;
  });

  test('shows them when that node wakes up, to a request that was waiting for it', async () => {
    const [first, second] = pictures as [Buffer, Buffer];
    await replace(first);
    await seen(first);
    signal('SIGSTOP');
    await replace(second);
    const waiting = Array.from({ length: 5 }, shown);
    await new Promise((resolve) => setTimeout(resolve, 100));
    signal('SIGCONT');
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([sha256(second)]));
  });

  test('shows them when its lines were cut in between', async () => {
    const [first, second] = pictures as [Buffer, Buffer];
    await replace(first);
    await seen(first);
    const replaced = replace(second);
    await nodes.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tintype watch'",
    );
    await replaced;
    assert.equal(await shown(), sha256(second));
  });

  test('is never said to be missing by a node that cannot ask the database', async () => {
    const [first, second] = pictures as [Buffer, Buffer];
    await replace(first);
    await seen(first);
    line.latencyMs = 20_000;
    await replace(second);
    const answers: string[] = [];
    for (const name of ['w-21.webp', 'original', 'w-22.webp']) {
      const { status, headers } = (await there.api.send(address.replace('original', name))) as Answer;
      answers.push(`${status} ${headers.get('x-error-code')}`);
    }
    assert.deepEqual(answers, Array(3).fill('503 database_unavailable'));
    line.latencyMs = 0;
    line.cut();
    await eventually(async () => assert.equal(await shown(), sha256(second)), 10_000);
  });
});
