// For calls that cost next to nothing: one more try when the first failed quickly and for no reason of ours.
import { setTimeout as pause } from 'node:timers/promises';
import { ProviderFault } from '../ai-provider.ts';
import { givenUp } from './openai-call.ts';

export type Patience = {
  /** For all tries together. */
  readonly deadlineMs: number;
  /** There is one more try only when at least this much is left for it. */
  readonly leastLeftMs: number;
};

const leastPauseMs = 250;

/** Each try is told how long it may take. */
export async function withOneMoreTry<Value>(
  { deadlineMs, leastLeftMs }: Patience,
  signal: AbortSignal,
  attempt: (leftMs: number) => Promise<Value>,
): Promise<Value> {
  const endsAt = performance.now() + deadlineMs;
  try {
    return await attempt(deadlineMs);
  } catch (error) {
    const isPassing = error instanceof ProviderFault && ['busy', 'unavailable'].includes(error.kind);
    if (!isPassing || signal.aborted) throw error;
    const pauseMs = Math.max(error.retryAfterMs ?? 0, leastPauseMs);
    const leftMs = endsAt - performance.now() - pauseMs;
    if (leftMs < leastLeftMs) throw error;
    await pause(pauseMs, undefined, { signal }).catch(() => Promise.reject(givenUp()));
    return attempt(Math.floor(endsAt - performance.now()));
  }
}
