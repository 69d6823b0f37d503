// One connection while it is in front of the HTTP server: reads plain requests, writes prepared answers, and keeps the
// times and manners that Node's server keeps.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isLeaving } from './leaving.ts';
import { hostOf, plainRequestAt } from './plain-request.ts';
import { newRequestId } from './request-id.ts';
import { writeAtOnce } from './write-at-once.ts';

export type PreparedAnswer = {
  /** The status line and every header that is the same for all, each with its line end. */
  head: string;
  body: Buffer;
};
export type FrontOptions = {
  /** Null when the answer is not prepared, or no longer right. */
  answerTo(host: string, target: string): PreparedAnswer | null;
  /** Called for each that was written. */
  answered(): void;
  headersMs: number;
  keepAliveMs: number;
  idleSocketMs: number;
};
export type FrontServer = FrontOptions & {
  server: Server;
  /** The lines that end the head of an answer after which the connection stays. */
  endOfHead(): string;
};

type Found = { answer: PreparedAnswer; end: number };

/** Node's server waits a second longer than it says. */
const keepAliveBufferMs = 1000;

export class FrontConnection {
  readonly #front: FrontServer;
  readonly #socket: Socket;
  /** Clients send the same headers with every request of a connection. */
  #lastHeaders = '';
  #lastHost = '';
  #hasAnswered = false;
  /** What the client asked before it has read the answers to what it asked first. */
  #unanswered: Buffer | null = null;
  #handOver: (rest: Buffer) => void = () => undefined;

  constructor(front: FrontServer, socket: Socket) {
    this.#front = front;
    this.#socket = socket;
  }

  /** `handOver` gets the connection as soon as it needs more than this, with the bytes that are not answered. */
  start(handOver: (rest: Buffer) => void): void {
    this.#handOver = handOver;
    this.#socket
      .on('data', this.#take)
      .on('end', this.#finish)
      .on('error', ignore)
      .setTimeout(this.#front.headersMs)
      .on('timeout', this.#tooLate);
  }

  endWhenSent(): void {
    if (this.#socket.writableLength === 0) this.#socket.destroy();
    else this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #take = (chunk: Buffer): void => {
    if (this.#socket.writableEnded) return;
    const found = this.#answersTo(chunk.toString('latin1'));
    // All or none: Node's server lets an error overtake the answers to what was sent together with it.
    if (!found) return this.#leave(chunk);
    for (const { answer, end } of found) {
      this.#write(answer);
      if (this.#socket.writableLength > 0) return this.#waitForClient(chunk.subarray(end));
    }
  };

  #answersTo(text: string): Found[] | null {
    const found: Found[] = [];
    for (let at = 0; at < text.length;) {
      const request = plainRequestAt(text, at);
      const answer = request && this.#preparedFor(request.target, request.headers);
      if (!answer) return null;
      at = request.end;
      found.push({ answer, end: at });
    }
    return found;
  }

  #preparedFor(target: string, headers: string): PreparedAnswer | null {
    // While leaving, answers say so.
    if (isLeaving(this.#front.server)) return null;
    if (headers !== this.#lastHeaders) {
      const host = hostOf(headers);
      if (host === null) return null;
      this.#lastHeaders = headers;
      this.#lastHost = host;
    }
    return this.#front.answerTo(this.#lastHost, target);
  }

  #write({ head, body }: PreparedAnswer): void {
    writeAtOnce(
      this.#socket,
      `${head}X-Request-Id: ${newRequestId()}${this.#front.endOfHead()}`,
      body,
      this.#written,
    );
    this.#front.answered();
    if (this.#hasAnswered) return;
    this.#hasAnswered = true;
    this.#keepAlive();
  }

  #keepAlive(): void {
    this.#socket.setTimeout(this.#front.keepAliveMs + keepAliveBufferMs);
  }

  /** Of a client that does not read its answers, no more requests are read either. */
  #waitForClient(rest: Buffer): void {
    this.#unanswered = rest;
    this.#socket.pause().setTimeout(this.#front.idleSocketMs);
  }

  readonly #written = (): void => {
    const rest = this.#unanswered;
    if (!rest || this.#socket.writableLength > 0 || this.#socket.destroyed) return;
    this.#unanswered = null;
    this.#keepAlive();
    this.#socket.resume();
    this.#take(rest);
  };

  readonly #finish = (): void => void this.#socket.end();

  readonly #tooLate = (): void => {
    if (this.#hasAnswered) return this.destroy();
    this.#socket.off('timeout', this.#tooLate);
    const error = Object.assign(new Error('Nothing was asked'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    this.#front.server.emit('clientError', error, this.#socket);
  };

  #leave(rest: Buffer): void {
    this.#socket
      .off('data', this.#take)
      .off('end', this.#finish)
      .off('error', ignore)
      .off('timeout', this.#tooLate)
      .setTimeout(0);
    this.#handOver(rest);
  }
}

const ignore = (): void => undefined;
