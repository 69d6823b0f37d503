// How the rounds of a run end: every failpoint in turn, and between them kills at random moments.
import type { Random } from '../support/random.ts';

/** Each with the most passes after which it may strike: what happens seldom strikes early. */
const passes = {
  'upload:received': 30,
  'upload:durable': 30,
  'upload:committed': 30,
  'update:committed': 15,
  'delete:committed': 15,
  'delete:manifest-gone': 15,
  'manifest:written': 30,
  'purge:original-gone': 10,
  'job:claimed': 30,
  'job:done': 30,
  'job:finished': 30,
  'storage:written': 50,
  'storage:synced': 50,
  'storage:renamed': 50,
  'database:before-commit': 60,
  'database:committed': 60,
  'render:written': 5,
} as const satisfies Record<string, number>;

export const failpoints = Object.keys(passes) as (keyof typeof passes)[];

export type Death =
  | { kind: 'failpoint'; failpoint: string; pass: number }
  | { kind: 'group' | 'leader'; afterWrites: number };

/** From twice as many rounds as there are failpoints on, every one of them is among the rounds. */
export function planDeaths(rounds: number, random: Random): Death[] {
  const deck: (keyof typeof passes)[] = [];
  return Array.from({ length: rounds }, (_, round): Death => {
    if (round % 2 === 0) {
      const kind = random.chance(0.25) ? 'leader' : 'group';
      return { kind, afterWrites: random.between(0, 120) };
    }
    if (deck.length === 0) deck.push(...random.shuffle(failpoints));
    const failpoint = deck.pop() as keyof typeof passes;
    return { kind: 'failpoint', failpoint, pass: random.between(1, passes[failpoint]) };
  });
}
