// What became of a delivery, as a sentence.
import type { Delivery } from '../../../../client/src/index.ts';

export function outcomeOf({ state, status, error, duration_ms: ms }: Delivery): string {
  const time = ms === null ? '' : ` after ${ms.toLocaleString('en')} ms`;
  const answer = status === null ? 'no answer came' : `the receiver answered ${status}${time}`;
  if (state === 'delivered') return `it works, ${answer}.`;
  return `${state === 'failed' ? 'it failed' : 'it waits for another try'}, ${answer}${error ? ` (${error})` : ''}.`;
}
