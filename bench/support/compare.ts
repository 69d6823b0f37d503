// Two servers under the same load in turns, A B A B …, so that whatever else the machine does falls on both. Ratios are
// the medians of the rounds' ratios.
import { load, type LoadResult, type Target } from './load.ts';
import { median } from './statistics.ts';

export type Round = { first: LoadResult; second: LoadResult };
export type Side = { perSecond: number; cpuMsPerRequest: number; latenciesMs: number[] };
/** Of the first to the second. */
export type Comparison = { ratio: number; cpuRatio: number; first: Side; second: Side };

export async function takeTurns(
  first: Target,
  second: Target,
  plan: { connections: number; rounds: number; secondsPerRound: number; warmUpSeconds: number },
): Promise<Round[]> {
  const { connections } = plan;
  for (const target of [first, second]) await load(target, { connections, seconds: plan.warmUpSeconds });
  const rounds: Round[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const measure = { connections, seconds: plan.secondsPerRound };
    rounds.push({ first: await load(first, measure), second: await load(second, measure) });
  }
  return rounds;
}

export function compare(rounds: readonly Round[]): Comparison {
  const medianOf = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const side = (name: keyof Round): Side => ({
    perSecond: medianOf((round) => round[name].perSecond),
    cpuMsPerRequest: medianOf((round) => round[name].cpuMsPerRequest),
    latenciesMs: rounds.flatMap((round) => round[name].latenciesMs),
  });
  return {
    ratio: medianOf((round) => round.first.perSecond / round.second.perSecond),
    cpuRatio: medianOf((round) => round.first.cpuMsPerRequest / round.second.cpuMsPerRequest),
    first: side('first'),
    second: side('second'),
  };
}
