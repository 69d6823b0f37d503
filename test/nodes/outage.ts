// What clients see while a database is in trouble: every answer of the API and of public addresses, timed and judged, beside
// clients that change things all the time. Afterwards everything acknowledged must be there.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, json, type Request } from '../crash/api.ts';
import { Load } from '../crash/load/load.ts';
import { Model } from '../crash/model.ts';
import { UploadMaker } from '../crash/uploads.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { type Random, seededRandom } from '../support/random.ts';
import { AnyNodeApi } from './any-node-api.ts';
import { checkNodes } from './check-nodes.ts';
import type { Nodes } from './nodes.ts';
import type { TintypeNode } from './tintype-node.ts';

const clients = 2;
const cachedFiles = 5;
/** The bar is 2 s; other processes may load the machine. */
const maxErrorMs = 3000;
const maxRecoveryMs = 10_000;

export type Seen = {
  apiAnswers: number;
  apiErrors: number;
  slowestErrorMs: number;
  publicAnswers: number;
  publicFailures: number;
  recoveryMs: number;
};

export class Outage {
  readonly #nodes: Nodes;
  readonly #model = new Model();
  readonly #random: Random = seededRandom(Date.now() % 2 ** 31);
  readonly #uploads: UploadMaker;
  #cached: string[] = [];
  #seen: Seen = this.#nothing();
  #watching = false;

  static async prepare(nodes: Nodes): Promise<Outage> {
    return new Outage(nodes, await UploadMaker.create(seededRandom(1)));
  }

  private constructor(nodes: Nodes, uploads: UploadMaker) {
    this.#nodes = nodes;
    this.#uploads = uploads;
  }

  /** `trouble` begins it, lasts, and ends it. */
  async during(what: string, trouble: () => Promise<void>): Promise<Seen> {
    this.#seen = this.#nothing();
    const before = this.#nodes.all.map((node) => node.pid);
    await this.#warmUp();
    const api = new AnyNodeApi(this.#nodes.all, this.#random);
    const model = this.#model;
    const load = new Load({ api, model, random: this.#random, uploads: this.#uploads, faulty: true });
    const loading = load.run(clients);
    this.#watching = true;
    const watching = Promise.all(
      this.#nodes.all.flatMap((node) => [this.#watchApi(node), this.#watchPublic(node)]),
    );
    await sleep(500);
    await trouble();
    await this.#recovered();
    this.#watching = false;
    load.stop();
    await Promise.all([loading, watching]);
    console.log(`${what}: ${JSON.stringify(this.#seen)}`);
    const after = this.#nodes.all.map((node) => node.pid);
    assert.deepEqual(after, before, 'a node ended');
    for (const node of this.#nodes.all) assert.doesNotMatch(node.said, /"level":60|unhandled/);
    // What was under way in the server may be committed a moment later, without anybody having been told.
    await sleep(500);
    await checkNodes(this.#nodes, model);
    return this.#seen;
  }

  /** Files of an account of its own that every node has in memory or on its disk. */
  async #warmUp(): Promise<void> {
    if (this.#cached.length > 0) return;
    await this.#storePublicFiles();
    for (const { api } of this.#nodes.all) for (const path of this.#cached) await api.ask(path);
  }

  async #storePublicFiles(): Promise<void> {
    const [first] = this.#nodes.all as [TintypeNode];
    const made = await first.api.askJson<{ api_key: string }>('/accounts/', {
      method: 'POST',
      body: { email: 'public@tintype.test', tier: 'enterprise' },
    });
    const headers = { Authorization: `Bearer ${made.api_key}` };
    await first.api.ask('/user/', { method: 'PATCH', body: { storage_backend: 'storage' }, headers });
    for (let index = 0; index < cachedFiles; index++) {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(await picture(120, 90))]), 'x.jpg');
      const request: Request = { method: 'POST', body, headers };
      const { object_url: url } = await first.api.askJson<{ object_url: string }>('/upload/', request);
      const { pathname } = new URL(url);
      this.#cached.push(`${pathname}original`, `${pathname}w-40.webp`);
    }
  }

  async #watchApi({ api }: TintypeNode): Promise<void> {
    const requests: [string, Request][] = [
      ['/user/', {}],
      ['/get/?page_size=5', {}],
      ['/webhooks/', {}],
      ['/update/nothing-there', { method: 'POST', body: { tags: [] } }],
    ];
    let asked = 0;
    while (this.#watching) {
      const [path, request] = requests[asked++ % requests.length] as [string, Request];
      const startedAt = performance.now();
      const answer = await api.send(path, request);
      const tookMs = Math.round(performance.now() - startedAt);
      this.#seen.apiAnswers += 1;
      if (!answer || answer.status >= 500) this.#judgeError(path, answer, tookMs);
      await sleep(50);
    }
  }

  #judgeError(path: string, answer: Answer | null, tookMs: number): void {
    this.#seen.apiErrors += 1;
    this.#seen.slowestErrorMs = Math.max(this.#seen.slowestErrorMs, tookMs);
    assert.ok(answer, `${path} got no answer`);
    const { headers } = answer;
    assert.deepEqual(
      [answer.status, headers.get('x-error-code'), Object.keys(json<object>(answer))],
      [503, 'database_unavailable', ['error']],
    );
    assert.ok(Number(headers.get('retry-after')) >= 1);
    assert.ok(tookMs < maxErrorMs, `${path} failed only after ${tookMs} ms`);
  }

  async #watchPublic({ api }: TintypeNode): Promise<void> {
    let asked = 0;
    while (this.#watching) {
      const answer = await api.send(this.#cached[asked++ % this.#cached.length] as string);
      this.#seen.publicAnswers += 1;
      if (answer?.status !== 200) this.#seen.publicFailures += 1;
      await sleep(5);
    }
  }

  async #recovered(): Promise<void> {
    const endedAt = performance.now();
    for (const { api } of this.#nodes.all)
      await eventually(async () => {
        assert.equal((await api.send('/health/ready'))?.status, 200);
        await api.ask('/user/');
      }, maxRecoveryMs);
    this.#seen.recoveryMs = Math.round(performance.now() - endedAt);
  }

  #nothing(): Seen {
    return {
      apiAnswers: 0,
      apiErrors: 0,
      slowestErrorMs: 0,
      publicAnswers: 0,
      publicFailures: 0,
      recoveryMs: 0,
    };
  }
}

export function assertServed({ publicAnswers, publicFailures }: Seen): void {
  assert.ok(publicAnswers > 100, 'hardly anything was asked for');
  assert.ok(publicFailures / publicAnswers <= 0.001, `${publicFailures} of ${publicAnswers} files failed`);
}
