// Runs so many rounds, tells how they go, and ends with the totals.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planDeaths } from './plan.ts';
import { seededRandom } from '../support/random.ts';
import { Rounds } from './rounds.ts';

export type Totals = { reached: ReadonlySet<string>; orphanedWorkers: number; acknowledged: number };

/** Throws at the first loss, and then keeps the data folder for a look. */
export async function runRounds(count: number): Promise<Totals> {
  const seed = Number(process.env['TINTYPE_CRASH_SEED'] ?? Date.now() % 2 ** 31);
  const dataDir = await mkdtemp(join(tmpdir(), 'tintype-crash-'));
  const random = seededRandom(seed);
  const rounds = await Rounds.create(dataDir, random);
  const startedAt = performance.now();
  console.log(`${count} rounds, TINTYPE_CRASH_SEED=${seed}`);
  for (const [index, death] of planDeaths(count, random).entries()) {
    try {
      await rounds.run(death);
    } catch (error) {
      await rounds.end().catch(() => undefined);
      const how = `round ${index + 1} (${JSON.stringify(death)})`;
      console.log(`${how} failed; TINTYPE_CRASH_SEED=${seed}, data folder kept: ${dataDir}`);
      throw error;
    }
    if ((index + 1) % 10 === 0) console.log(`round ${index + 1}: ${describe(rounds)}`);
  }
  await rounds.end();
  await rm(dataDir, { recursive: true });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`in all, after ${seconds} s: ${describe(rounds)}, lost 0`);
  return {
    reached: rounds.reached,
    orphanedWorkers: rounds.orphanedWorkers,
    acknowledged: rounds.model.acknowledged,
  };
}

function describe({ model, kills, readyMs, reached }: Rounds): string {
  const times = readyMs.toSorted((left, right) => left - right);
  const [median, longest] = [times[Math.floor(times.length / 2)], times.at(-1)].map((ms) =>
    Math.round(ms ?? 0),
  );
  return (
    `${kills} kills (${reached.size} failpoints), ${model.acknowledged} acknowledged writes, ` +
    `${model.alive().length} objects, ready after ${median} ms (at most ${longest} ms)`
  );
}
