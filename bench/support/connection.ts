// One keep-alive connection that sends prepared bytes and waits for the answer. The client shares the machine with the
// servers it measures, so it does nothing that is not needed to tell where an answer ends.
import { connect, type Socket } from 'node:net';

export type Answer = { status: number; head: string; body: () => Buffer };
type Waiting = { resolve(answer: Answer): void; reject(error: Error): void };

const headEnd = Buffer.from('\r\n\r\n');

export class Connection {
  readonly #socket: Socket;
  #waiting: Waiting | null = null;
  #chunks: Buffer[] = [];
  #head = '';
  #bodyLeft = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The server closed the connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  exchange(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    if (this.#head === '') {
      const received = this.#chunks.length > 0 ? Buffer.concat([...this.#chunks, chunk]) : chunk;
      const end = received.indexOf(headEnd);
      if (end === -1) {
        this.#chunks = [received];
        return;
      }
      this.#head = received.toString('latin1', 0, end);
      this.#bodyLeft = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1] ?? 0);
      this.#chunks = [];
      rest = received.subarray(end + headEnd.length);
    }
    if (rest.length > 0) this.#chunks.push(rest);
    this.#bodyLeft -= rest.length;
    if (this.#bodyLeft === 0) this.#finish();
  }

  #finish(): void {
    const waiting = this.#waiting;
    const chunks = this.#chunks;
    const head = this.#head;
    this.#waiting = null;
    this.#chunks = [];
    this.#head = '';
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, body: () => Buffer.concat(chunks) });
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}
