// Cuts bodies that trickle: judged by their rate over half a minute, never by their total time, so that an honest upload
// of any length goes through. Time in which we ourselves do not read (a slow disk) is not held against the client.
import type { IncomingMessage } from 'node:http';

export type BodyRateOptions = { bytesPerSecond: number; windowMs: number; checkEveryMs: number };
export const defaultBodyRate: BodyRateOptions = {
  bytesPerSecond: 1024,
  windowMs: 30_000,
  checkEveryMs: 2000,
};

/** Judged every half window over the last two halves, so that a fast start is forgotten as soon as it is over. */
type Watched = { halfStart: number; bytesAtHalf: number; bytesBefore: number; tooSlow(): void };

export class BodyRateGuard {
  readonly #options: BodyRateOptions;
  readonly #watched = new Map<IncomingMessage, Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: BodyRateOptions = defaultBodyRate) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), options.checkEveryMs).unref();
  }

  watch(request: IncomingMessage, tooSlow: () => void): void {
    // The half window before the first is not held against anybody.
    const bytesBefore = Infinity;
    const bytesAtHalf = request.socket.bytesRead;
    this.#watched.set(request, { halfStart: Date.now(), bytesAtHalf, bytesBefore, tooSlow });
    const forget = (): void => void this.#watched.delete(request);
    request.once('close', forget);
    request.once('end', forget);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = Date.now();
    const halfMs = this.#options.windowMs / 2;
    for (const [request, watched] of this.#watched) {
      const elapsedMs = now - watched.halfStart;
      // Also when all of it is here and only we have not come to its end.
      const weAreSlow = request.complete || request.readableLength >= request.readableHighWaterMark;
      if (!weAreSlow && elapsedMs < halfMs) continue;
      const { bytesRead } = request.socket;
      const received = bytesRead - watched.bytesAtHalf;
      const expected = (this.#options.bytesPerSecond * (halfMs + elapsedMs)) / 1000;
      if (!weAreSlow && watched.bytesBefore + received < expected) {
        this.#watched.delete(request);
        watched.tooSlow();
      } else {
        watched.halfStart = now;
        watched.bytesAtHalf = bytesRead;
        watched.bytesBefore = weAreSlow ? Infinity : received;
      }
    }
  }
}
