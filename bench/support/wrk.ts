// wrk as the load generator where it is installed: it reads large answers at a fraction of what our own client spends on them,
// and so leaves the machine to the servers. Our own flatters whoever is slower.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watchChild } from './cleanup.ts';
import { median } from './statistics.ts';

export type WrkPlan = { connections: number; rounds: number; secondsPerRound: number };

export function hasWrk(): boolean {
  return spawnSync('wrk', ['-v']).error === undefined;
}

/** Requests per second of both in turns, and the median of the rounds' ratios. */
export async function takeTurnsWithWrk(first: string, second: string, plan: WrkPlan) {
  const rounds: { first: number; second: number }[] = [];
  for (let round = 0; round <= plan.rounds; round++)
    rounds.push({ first: await perSecond(first, plan), second: await perSecond(second, plan) });
  // The first is for warming up.
  const counted = rounds.slice(1);
  return {
    ratio: median(counted.map((round) => round.first / round.second)),
    first: median(counted.map((round) => round.first)),
    second: median(counted.map((round) => round.second)),
  };
}

async function perSecond(url: string, { connections, secondsPerRound }: WrkPlan): Promise<number> {
  const args = ['-t', '1', '-c', String(connections), '-d', `${secondsPerRound}s`, url];
  const child = watchChild(spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  if (/Non-2xx/.test(output)) throw new Error(`${url} was not always answered 200`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
}
