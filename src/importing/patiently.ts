// Calls a service again that is busy or away for a moment. An import asks for far more than a person does: what would be
// a refusal to others is a reason to wait here.
import { setTimeout as pause } from 'node:timers/promises';
import { ConnectionError, TintypeError } from '../../client/src/index.ts';
import { ImportStopped } from './import-fault.ts';

/** Of being away; a service that says when to come again is asked for as long as it does. */
const vainTries = 5;
const firstPauseMs = 1000;

export async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let vain = 0; ; vain += 1) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = pauseAfter(error, vain);
      if (pauseMs === undefined) throw error;
      await pause(pauseMs, undefined, { signal }).catch(() => {
        throw new ImportStopped('Stopped on request');
      });
    }
  }
}

/** Undefined where another try would change nothing. */
function pauseAfter(error: unknown, vain: number): number | undefined {
  const ownPauseMs = firstPauseMs * 2 ** Math.min(vain, vainTries) * (0.5 + Math.random() / 2);
  if (error instanceof ConnectionError) return vain < vainTries ? ownPauseMs : undefined;
  if (!(error instanceof TintypeError)) return undefined;
  if (error.status === 429) return Math.max(ownPauseMs, (error.retryAfterSeconds ?? 0) * 1000);
  return [502, 503, 504].includes(error.status) && vain < vainTries ? ownPauseMs : undefined;
}
