// SHA-256 of what streams by. Processors with instructions for it need about 50 µs for 100 KB, others 260 and more: there larger files
// are left to a thread, because nothing else of an upload would cost the event loop as much.
import { createHash, hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { ThreadedHashing } from './threaded-sha256.ts';

export interface Sha256 {
  /** The next chunk may come when a promise is kept; none when that is at once. A chunk must not change afterwards. */
  update(chunk: Buffer): Promise<void> | undefined;
  /** In hex; nothing may follow it. */
  digest(): Promise<string>;
  /** For what is not digested. May be called after anything. */
  discard(): void;
}

let threaded: ThreadedHashing | null | undefined;

export function createSha256(): Sha256 {
  if (threaded === undefined) threaded = isWorthAThread() ? new ThreadedHashing() : null;
  return threaded?.createSha256() ?? createDirectSha256();
}

export function createDirectSha256(): Sha256 {
  const direct = createHash('sha256');
  return {
    update(chunk) {
      direct.update(chunk);
      return undefined;
    },
    digest: async () => direct.digest('hex'),
    discard: () => undefined,
  };
}

const trials = 5;
const trialBytes = 64 * 1024;
/** With instructions for it about 40, without them 150 and more. */
const longTrialUs = 80;

function isWorthAThread(): boolean {
  if (availableParallelism() === 1) return false;
  const bytes = Buffer.alloc(trialBytes);
  const trial = (): number => {
    const startedAt = performance.now();
    hash('sha256', bytes);
    return (performance.now() - startedAt) * 1000;
  };
  // The quickest, since whatever else the machine does can only make one longer.
  return Math.min(...Array.from({ length: trials }, trial)) > longTrialUs;
}
