// Every node restarted in turn behind nginx, while clients upload, read and render: no request fails.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { Api, type Answer, describe, json } from '../crash/api.ts';
import { sha256 } from '../crash/uploads.ts';
import { picture } from '../support/pictures.ts';
import { missing } from '../support/proxies.ts';
import { startBalancer } from './balancer.ts';
import { Nodes, skipWithoutServer } from './nodes.ts';

/** More than the five seconds for which nginx keeps an idle connection. */
const drainSeconds = 7;
const hands = 3;

test(
  'a rolling restart fails no request',
  { skip: skipWithoutServer || missing('nginx'), timeout: 300_000 },
  async () => {
    await using nodes = await Nodes.start({
      count: 3,
      environment: { DRAIN_SECONDS: String(drainSeconds), TRUST_PROXY: 'on' },
    });
    await using balancer = await startBalancer(nodes.all.map(({ options }) => options.port));
    const clients = new Clients(new Api(balancer.url), await picture(300, 200));
    const running = clients.run();
    for (const node of nodes.all) {
      await sleep(1000);
      const startedAt = performance.now();
      assert.deepEqual(await node.stop(), { code: 0, signal: null }, node.said);
      const stoppedMs = Math.round(performance.now() - startedAt);
      console.log(`stopped in ${stoppedMs} ms, ready again in ${Math.round(await node.start())} ms`);
    }
    await sleep(1000);
    clients.stop();
    await running;
    console.log(`${clients.answered} requests answered, ${clients.failures.length} failed`);
    assert.deepEqual(clients.failures, []);
    assert.ok(clients.answered > 100, 'hardly anything was asked');
  },
);

class Clients {
  answered = 0;
  readonly failures: string[] = [];
  readonly #api: Api;
  readonly #file: Buffer;
  #stopped = false;

  constructor(api: Api, file: Buffer) {
    this.#api = api;
    this.#file = file;
  }

  async run(): Promise<void> {
    await Promise.all(
      Array.from({ length: hands }, async (_, hand) => {
        for (let round = 0; !this.#stopped; round++) await this.#round(`hand-${hand}-${round}`, 20 + round);
      }),
    );
  }

  stop(): void {
    this.#stopped = true;
  }

  /** The life of a picture: uploaded, read, rendered, listed, and half of the time deleted. */
  async #round(id: string, width: number): Promise<void> {
    const body = new FormData();
    body.append('object', id);
    body.append('file', new Blob([new Uint8Array(this.#file)]), 'x.jpg');
    const stored = await this.#ask('/upload/', { method: 'POST', body });
    if (!stored) return;
    const path = new URL(json<{ object_url: string }>(stored).object_url).pathname;
    const original = await this.#ask(`${path}original`);
    if (original && sha256(original.bytes) !== sha256(this.#file)) this.failures.push(`${id}: other bytes`);
    await this.#ask(`${path}w-${width}.webp`);
    await this.#ask('/get/?page_size=10');
    if (width % 2 === 0) await this.#ask(`/delete/${id}`, { method: 'DELETE' });
  }

  async #ask(path: string, request: Parameters<Api['send']>[1] = {}): Promise<Answer | null> {
    const answer = await this.#api.send(path, request);
    if (answer?.status === 200) this.answered += 1;
    else this.failures.push(`${request.method ?? 'GET'} ${path}: ${describe(answer)}`);
    return answer?.status === 200 ? answer : null;
  }
}
