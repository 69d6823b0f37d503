// How much of the time this machine wanted to work others on the same host have taken from it, between two moments.
import { readFileSync } from 'node:fs';

export type Moment = { worked: number; stolen: number };

/** All zero where the system does not tell. */
export function readMoment(): Moment {
  try {
    const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = readFileSync(
      '/proc/stat',
      'utf8',
    )
      .split('\n', 1)[0]!
      .split(/ +/)
      .slice(1)
      .map(Number);
    return { worked: user + nice + system + interrupts + softInterrupts, stolen };
  } catch {
    return { worked: 0, stolen: 0 };
  }
}

export function shareStolenSince(before: Moment): number {
  const now = readMoment();
  const stolen = now.stolen - before.stolen;
  return stolen === 0 ? 0 : stolen / (stolen + now.worked - before.worked);
}
