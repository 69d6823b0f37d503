// For what happens soon after an answer and tells nobody: looks again until it holds, or fails with its last complaint.
import { setTimeout as pause } from 'node:timers/promises';

/** Where the database or the stores are elsewhere, background work takes its time; no promise of ours is about that. */
const patienceMs = process.env['TEST_DATABASE'] || process.env['TEST_STORES'] ? 20_000 : 5000;
/** Looking costs as much as what is looked at: seldom, when it takes long. */
const longestPauseMs = 40;

export async function eventually<T>(look: () => Promise<T> | T, withinMs = patienceMs): Promise<T> {
  const deadline = Date.now() + withinMs;
  let pauseMs = 8;
  for (;;) {
    try {
      return await look();
    } catch (complaint) {
      if (Date.now() > deadline) throw complaint;
      await pause((pauseMs = Math.min(longestPauseMs, pauseMs * 1.3)));
    }
  }
}
