// A line between nodes and their database that can be made slow, cut, and mended.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';

export class Line implements AsyncDisposable {
  /** Each way. */
  latencyMs = 0;
  readonly url: string;
  readonly #sockets = new Set<Socket>();
  readonly #close: () => Promise<unknown>;

  static async to(address: string): Promise<Line> {
    const { port: target } = new URL(address);
    const server = createServer((socket) => line.#carry(socket, Number(target)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(address);
    url.port = String((server.address() as AddressInfo).port);
    const line = new Line(url.href, () => {
      server.close();
      return once(server, 'close');
    });
    return line;
  }

  private constructor(url: string, close: () => Promise<unknown>) {
    this.url = url;
    this.#close = close;
  }

  /** Every connection that is there; new ones work. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await this.#close();
  }

  #carry(socket: Socket, port: number): void {
    const other = connect(port, '127.0.0.1');
    for (const each of [socket, other]) {
      this.#sockets.add(each);
      each.setNoDelay(true);
      each.once('close', () => this.#sockets.delete(each));
    }
    pipeline(socket, this.#delay(), other, () => socket.destroy());
    pipeline(other, this.#delay(), socket, () => other.destroy());
  }

  /** Keeps the order, and lets many be on their way. */
  #delay(): Transform {
    const late = (): number => this.latencyMs;
    return new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (late() === 0) return done(null, chunk);
        setTimeout(() => this.push(chunk), late());
        done();
      },
      flush: (done) => void setTimeout(done, late()),
    });
  }
}
