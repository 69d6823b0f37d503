// Clients that hold connections open by sending almost nothing: heads and bodies a byte a second. The rude ones also go
// on when the server has said goodbye, which a server must not leave to them.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type SlowKind = {
  name: string;
  count: number;
  /** Sent one after another before the trickle begins. */
  beginning: (index: number) => readonly (string | Buffer)[];
  /** What trickles, over and over. */
  trickle: string;
  rude?: boolean;
};
export type SlowClient = {
  kind: string;
  socket: Socket;
  beganAt: number;
  /** When the server had closed the connection, not merely its own half of it. */
  goneAt: number | undefined;
  answer: string;
};
type Sending = { client: SlowClient; beginning: (string | Buffer)[]; trickle: string; sent: number };

const turnsPerSecond = 50;
const opensPerTurn = 40;

export class SlowClients {
  readonly clients: SlowClient[] = [];
  readonly #url: URL;
  readonly #sending: Sending[] = [];
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  async open(kinds: readonly SlowKind[]): Promise<void> {
    this.#timer = setInterval(() => this.#sendSome(), 1000 / turnsPerSecond);
    const waiting = kinds.flatMap((kind) =>
      Array.from({ length: kind.count }, (_, index) => () => this.#openOne(kind, index)),
    );
    while (waiting.length > 0) await Promise.all(waiting.splice(0, opensPerTurn).map((open) => open()));
  }

  of(...kinds: readonly SlowKind[]): SlowClient[] {
    return this.clients.filter((client) => kinds.some(({ name }) => name === client.kind));
  }

  allGone(): boolean {
    return this.clients.every(({ goneAt }) => goneAt !== undefined);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { socket } of this.clients) socket.destroy();
  }

  async #openOne({ name, beginning, trickle, rude = false }: SlowKind, index: number): Promise<void> {
    const socket = connect({
      host: this.#url.hostname,
      port: Number(this.#url.port),
      allowHalfOpen: rude,
      noDelay: true,
    });
    const client: SlowClient = {
      kind: name,
      socket,
      beganAt: performance.now(),
      goneAt: undefined,
      answer: '',
    };
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => (client.answer += bytes.toString('latin1')));
    socket.on('close', () => (client.goneAt = performance.now()));
    await once(socket, 'connect');
    this.clients.push(client);
    this.#sending.push({ client, beginning: [...beginning(index)], trickle, sent: 0 });
  }

  /** Spread over the second, so that no burst of this process looks like slowness of the server. */
  #sendSome(): void {
    this.#turn += 1;
    this.#sending.forEach((sending, index) => {
      const { client, beginning, trickle } = sending;
      if (!client.socket.writable) return;
      const next = beginning.shift();
      if (next !== undefined) client.socket.write(next);
      else if (index % turnsPerSecond === this.#turn % turnsPerSecond && trickle !== '')
        client.socket.write(trickle.charAt(sending.sent++ % trickle.length));
    });
  }
}

/** Seconds until the last of them was gone; infinite when one never was. */
export function secondsUntilGone(clients: readonly SlowClient[]): number {
  const seconds = clients.map(({ beganAt, goneAt }) => ((goneAt ?? Infinity) - beganAt) / 1000);
  return Math.max(0, ...seconds);
}
