// For what happens soon after an answer and tells nobody: looks again until it holds, or fails with its last complaint.
import { setTimeout as pause } from 'node:timers/promises';

export async function eventually<T>(look: () => Promise<T> | T, withinMs = 5000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await look();
    } catch (complaint) {
      if (Date.now() > deadline) throw complaint;
      await pause(10);
    }
  }
}
