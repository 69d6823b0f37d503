// All slow clients at once, beside a steady upload and one good client, until the last of them is gone; and what was
// seen meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import type { RawAnswer } from '../support/raw-http.ts';
import { residentMegabytes } from './descriptors.ts';
import { type GoodRequests, percentile, type Took } from './good-requests.ts';
import { SlowClients } from './slow-clients.ts';
import { evasions, heads, uploads } from './slow-kinds.ts';
import { steadyUpload } from './steady-upload.ts';
import { originalsOnDisk } from './stored-files.ts';

const watchedMs = 66_000;
const lookEveryMs = 500;
export const steady = { sizeBytes: 40 * 1024 * 1024, bytesPerSecond: 1024 * 1024 };

export type Attacked = { url: string; pid: number; dataDir: string };
export type Seen = {
  slow: SlowClients;
  /** How long good requests took while the slow heads were there, and after them. */
  withHeads: Took;
  withUploads: Took;
  steadyEnd: { answer: RawAnswer; seconds: number };
  mostOriginals: number;
};

export async function slowAttack(
  { url, pid, dataDir }: Attacked,
  good: GoodRequests,
  picture: Buffer,
): Promise<Seen> {
  const slow = new SlowClients(url);
  const deadline = performance.now() + watchedMs;
  let mostOriginals = 0;
  const until = async (done: () => boolean): Promise<void> => {
    while (!done() && performance.now() < deadline) {
      mostOriginals = Math.max(mostOriginals, (await originalsOnDisk(dataDir)).length);
      await pause(lookEveryMs);
    }
  };
  const memoryBefore = await residentMegabytes(pid);
  good.start();
  const uploading = steadyUpload(url, { picture, ...steady });
  uploading.catch(() => undefined);
  try {
    await slow.open([...heads, ...uploads(picture), ...evasions(picture)]);
    const memoryMeanwhile = await residentMegabytes(pid);
    await until(() => slow.of(...heads).every(({ goneAt }) => goneAt !== undefined));
    const withHeads = await good.stop();
    good.start();
    await until(() => slow.allGone());
    const steadyEnd = await uploading;
    const withUploads = await good.stop();
    console.log(`  good requests with slow heads ${comparison(withHeads)}`);
    console.log(`  good requests with slow uploads ${comparison(withUploads)}`);
    console.log(`  memory ${memoryBefore} → ${memoryMeanwhile} → ${await residentMegabytes(pid)} MB`);
    return { slow, withHeads, withUploads, steadyEnd, mostOriginals };
  } finally {
    slow.close();
  }
}

export function comparison({ attacked, beside }: Took): string {
  return `${figures(attacked)}; of a service beside it ${figures(beside)}`;
}

function figures(sorted: readonly number[]): string {
  const [middle, high, most] = [0.5, 0.99, 1].map((share) => percentile(sorted, share).toFixed(1));
  return `p50 ${middle}, p99 ${high}, most ${most} ms (${sorted.length})`;
}
