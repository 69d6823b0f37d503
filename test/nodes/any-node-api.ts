// What a balancer gives its clients: each request goes to any node that runs. One without an answer counts as a failure of
// the service (599), after which the client goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, Api, type Request } from '../crash/api.ts';
import type { Random } from '../support/random.ts';
import type { TintypeNode } from './tintype-node.ts';

const noAnswer = 599;
/** Clients do not try again at once. */
const pauseMs = 20;

export class AnyNodeApi extends Api {
  readonly #nodes: readonly TintypeNode[];
  readonly #random: Random;
  readonly #heard: (path: string, request: Request, answer: Answer) => void;
  /** Of requests that reached nobody, or broke off. */
  unanswered = 0;

  constructor(
    nodes: readonly TintypeNode[],
    random: Random,
    heard: (path: string, request: Request, answer: Answer) => void = () => undefined,
  ) {
    super('http://any');
    this.#nodes = nodes;
    this.#random = random;
    this.#heard = heard;
  }

  override async send(path: string, request: Request = {}): Promise<Answer> {
    const running = this.#nodes.filter((node) => node.isRunning);
    const answer = running.length === 0 ? null : await this.#random.pick(running).api.send(path, request);
    if (answer) {
      this.#heard(path, request, answer);
      if (answer.status >= 500) await sleep(pauseMs);
      return answer;
    }
    this.unanswered += 1;
    await sleep(pauseMs);
    return { status: noAnswer, headers: new Headers(), bytes: Buffer.from('{"error":"no answer"}') };
  }
}
