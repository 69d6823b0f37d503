// Lets a long task breathe: synchronous calls keep the process from noticing that its server is gone, and from saying how
// far it is.
import { setImmediate as nextTurn } from 'node:timers/promises';

const breathEveryMs = 250;

export type Pace = {
  /** To be called often; says how far the task is, from 0 to 1. */
  at(share: number): Promise<void> | void;
};

export function createPace(report: (percent: number) => void): Pace {
  let lastBreath = performance.now();
  return {
    at(share) {
      if (performance.now() - lastBreath < breathEveryMs) return;
      lastBreath = performance.now();
      report(Math.max(0, Math.min(99, Math.floor(share * 100))));
      return nextTurn();
    },
  };
}
