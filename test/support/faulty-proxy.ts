// A way to a server on this machine that can be made to fail: closed to all, silent, slow, or cut after some bytes.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export type Fault =
  | { readonly kind: 'none' | 'refuse' | 'freeze' }
  /** Every answer ends after so many bytes. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Every piece of an answer comes so much later. */
  | { readonly kind: 'slow'; readonly delayMs: number };

export class FaultyProxy {
  readonly port: number;
  readonly #target: { host: string; port: number };
  readonly #open = new Set<Socket>();
  #server: Server;
  #fault: Fault = { kind: 'none' };

  static async before(endpoint: string): Promise<FaultyProxy> {
    const { hostname: host, port } = new URL(endpoint);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyProxy(server, { host, port: Number(port) });
  }

  private constructor(server: Server, target: { host: string; port: number }) {
    this.#server = server;
    this.#target = target;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => this.#forward(socket));
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return this.#open.size;
  }

  /** Holds for what is open too; `refuse` closes it. */
  async set(fault: Fault): Promise<void> {
    const wasRefusing = this.#fault.kind === 'refuse';
    this.#fault = fault;
    for (const socket of this.#open) {
      if (fault.kind === 'freeze') socket.pause();
      else socket.destroy();
    }
    if (fault.kind === 'refuse' && !wasRefusing) await this.#close();
    if (fault.kind !== 'refuse' && wasRefusing) await this.#listen();
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    if (this.#server.listening) await this.#close();
  }

  async #close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #listen(): Promise<void> {
    this.#server = createServer((socket) => this.#forward(socket)).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  #forward(client: Socket): void {
    this.#open.add(client);
    client.on('close', () => this.#open.delete(client)).on('error', () => undefined);
    // Accepted, and then nothing.
    if (this.#fault.kind === 'freeze') return void client.pause();
    const server = connect(this.#target).on('error', () => client.destroy());
    client.on('close', () => server.destroy());
    client.pipe(server);
    server.pipe(this.#spoil(client)).pipe(client);
  }

  #spoil(client: Socket): Transform {
    let left = this.#fault.kind === 'cut' ? this.#fault.afterBytes : Infinity;
    const delayMs = this.#fault.kind === 'slow' ? this.#fault.delayMs : 0;
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        // Frozen while it was under way: never goes on.
        if (this.#fault.kind === 'freeze') return;
        const piece = chunk.subarray(0, left);
        left -= piece.length;
        if (left === 0) client.end(piece);
        else if (delayMs > 0) setTimeout(() => done(null, piece), delayMs);
        else done(null, piece);
      },
    });
  }
}
