// Ends connections on which nothing was asked for too long. Node's own keep-alive timer starts again with every byte, and
// blank lines between two requests are bytes that begin none: without this they would keep a connection for ever.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const checkEveryMs = 1000;

export class IdleConnections {
  readonly #maxIdleMs: number;
  /** Connections between two requests, and since when. */
  readonly #idleSince = new Map<Socket, number>();
  readonly #underWay = new WeakMap<Socket, number>();

  constructor({ maxIdleMs }: { maxIdleMs: number }) {
    this.#maxIdleMs = maxIdleMs;
  }

  watch(server: Server): void {
    server.prependListener('request', ({ socket }, response) => {
      this.#idleSince.delete(socket);
      this.#underWay.set(socket, (this.#underWay.get(socket) ?? 0) + 1);
      response.once('close', () => this.#ended(socket));
    });
    server.on('connection', (socket) => socket.once('close', () => this.#idleSince.delete(socket)));
    const timer = setInterval(() => this.#check(), checkEveryMs).unref();
    server.once('close', () => clearInterval(timer));
  }

  #ended(socket: Socket): void {
    const left = (this.#underWay.get(socket) ?? 1) - 1;
    this.#underWay.set(socket, left);
    // Of requests sent together, one may still be under way.
    if (left === 0 && !socket.destroyed) this.#idleSince.set(socket, Date.now());
  }

  #check(): void {
    const longAgo = Date.now() - this.#maxIdleMs;
    for (const [socket, since] of this.#idleSince) if (since < longAgo) socket.destroy();
  }
}
