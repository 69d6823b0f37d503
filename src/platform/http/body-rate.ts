// Cuts bodies that trickle: judged by their rate over half a minute, never by their total time, so that an honest upload
// of any length goes through. Time in which we ourselves do not read (a slow disk) is not held against the client.
import type { IncomingMessage } from 'node:http';

export type BodyRateOptions = { bytesPerSecond: number; windowMs: number; checkEveryMs: number };
export const defaultBodyRate: BodyRateOptions = {
  bytesPerSecond: 1024,
  windowMs: 30_000,
  checkEveryMs: 2000,
};

type Watched = { windowStart: number; bytesAtStart: number; tooSlow(): void };

export class BodyRateGuard {
  readonly #options: BodyRateOptions;
  readonly #watched = new Map<IncomingMessage, Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: BodyRateOptions = defaultBodyRate) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), options.checkEveryMs).unref();
  }

  watch(request: IncomingMessage, tooSlow: () => void): void {
    this.#watched.set(request, { windowStart: Date.now(), bytesAtStart: request.socket.bytesRead, tooSlow });
    const forget = (): void => void this.#watched.delete(request);
    request.once('close', forget);
    request.once('end', forget);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = Date.now();
    for (const [request, watched] of this.#watched) {
      const elapsedMs = now - watched.windowStart;
      // Also when all of it is here and only we have not come to its end.
      const weAreSlow = request.complete || request.readableLength >= request.readableHighWaterMark;
      if (!weAreSlow && elapsedMs < this.#options.windowMs) continue;
      const received = request.socket.bytesRead - watched.bytesAtStart;
      if (!weAreSlow && received < (this.#options.bytesPerSecond * elapsedMs) / 1000) {
        this.#watched.delete(request);
        watched.tooSlow();
      } else {
        watched.windowStart = now;
        watched.bytesAtStart = request.socket.bytesRead;
      }
    }
  }
}
