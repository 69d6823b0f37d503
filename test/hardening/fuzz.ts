// Runs made-up cases against a target: many, and the same ones again for the same seed. A case that fails is shown with
// what repeats it.
//
//   FUZZ_CASES=1000000 FUZZ_SEED=7 npm test -- test/hardening/fuzz
import { inspect } from 'node:util';
import { type Random, seededRandom } from '../support/random.ts';

const defaultCases = 40_000;
const shownCharacters = 2000;
/** Far more than any case needs, and far less than a pattern that goes back and forth over a long text takes. */
const maxCaseMs = 1500;

/** Cases in this process; a tenth as many go over the network. */
export const fuzzCases = Number(process.env['FUZZ_CASES'] ?? defaultCases);
export const fuzzSeed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);

export type Target<Case> = {
  name: string;
  cases: number;
  make(random: Random, index: number): Case;
  check(made: Case): void | Promise<void>;
  /** How many are under way at the same time. */
  atOnce?: number;
};

export async function fuzz<Case>(target: Target<Case>): Promise<void> {
  const { name, cases, atOnce = 1 } = target;
  const startedAt = performance.now();
  let next = 0;
  const lanes = Array.from({ length: atOnce }, async () => {
    while (next < cases) await tryOne(target, next++);
  });
  await Promise.all(lanes);
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`  ${name}: ${cases} cases in ${seconds.toFixed(1)} s (FUZZ_SEED=${fuzzSeed})`);
}

async function tryOne<Case>(target: Target<Case>, index: number): Promise<void> {
  const made = target.make(seededRandom(seedOf(target.name, index)), index);
  const startedAt = performance.now();
  try {
    const checking = target.check(made);
    if (checking) await checking;
    const tookMs = performance.now() - startedAt;
    // With others under way, their time is in it too.
    if (tookMs > maxCaseMs * (target.atOnce ?? 1)) throw new Error(`It took ${Math.round(tookMs)} ms`);
  } catch (error) {
    const shown = inspect(made, { depth: 6, maxStringLength: shownCharacters, breakLength: 110 });
    throw new Error(`${target.name}, case ${index} of FUZZ_SEED=${fuzzSeed}: ${String(error)}\n${shown}`, {
      cause: error,
    });
  }
}

/** Its own for every case, so that one can be made again without those before it. */
function seedOf(name: string, index: number): number {
  let seed = fuzzSeed;
  for (const character of `${name} ${index}`) seed = Math.imul(seed ^ character.charCodeAt(0), 0x01000193);
  return seed;
}
