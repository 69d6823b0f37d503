// Two servers under the same load in turns, A B A B …, so that whatever else the machine does falls on both. The ratio is
// the median of the rounds' ratios.
import { load, type LoadResult, type Target } from './load.ts';
import { median } from './statistics.ts';

export type Side = { perSecond: number; cpuMsPerRequest: number; latenciesMs: number[] };
/** Of the first to the second. */
export type Comparison = { ratio: number; cpuRatio: number; first: Side; second: Side };

export async function compare(
  first: Target,
  second: Target,
  options: { connections: number; rounds: number; secondsPerRound: number; warmUpSeconds: number },
): Promise<Comparison> {
  const { connections } = options;
  for (const target of [first, second]) await load(target, { connections, seconds: options.warmUpSeconds });
  const rounds: { first: LoadResult; second: LoadResult }[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const measure = { connections, seconds: options.secondsPerRound };
    rounds.push({ first: await load(first, measure), second: await load(second, measure) });
  }
  const medianOf = (pick: (round: (typeof rounds)[number]) => number): number => median(rounds.map(pick));
  const side = (name: 'first' | 'second'): Side => ({
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
