// The long versions: 200 kills (CRASH_ROUNDS for more), 60 losses of power (POWER_LOSSES), every error at the first
// calls of each kind until it is no longer met, and with TEST_DATABASE 200 kills of nodes (NODE_KILLS) and outages of their
// database of a minute each (OUTAGE_SECONDS). `npm run chaos`; takes the better part of an hour, with nodes two.
import { spawnSync } from 'node:child_process';
import { skipWithoutServer } from '../nodes/nodes.ts';
import { runNodeKills } from '../nodes/run-node-kills.ts';
import { type FaultCase, nameOf, runFaultCase } from './fault-cases.ts';
import { runPowerLosses } from './power-loss/power-losses.ts';
import { runRounds } from './run-rounds.ts';
import { skipWithoutStrace } from './strace.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 200);
const calls: Pick<FaultCase, 'call' | 'file'>[] = [
  { call: '/^openat$' },
  { call: 'pwrite64,pwritev' },
  { call: 'fsync' },
  { call: '/^rename(at2?)?$' },
  { call: '/^unlink(at)?$' },
  { call: 'pwrite64', file: 'tintype.db-wal' },
  { call: 'fsync', file: 'tintype.db-wal' },
];
const errors = ['ENOSPC', 'EIO', 'EROFS', 'EMFILE'];
const moments = ['1', '2', '3', '4', '5', '6', '1+'];

await runRounds(rounds);
if (skipWithoutStrace) console.log(skipWithoutStrace);
else {
  console.log(await runPowerLosses(Number(process.env['POWER_LOSSES'] ?? 60)));
  await runFaults();
}
if (!skipWithoutServer) await runNodes();

async function runNodes(): Promise<void> {
  await runNodeKills(Number(process.env['NODE_KILLS'] ?? 200));
  const { status } = spawnSync(process.execPath, ['--test', 'test/nodes/database-away.test.ts'], {
    stdio: 'inherit',
    env: { OUTAGE_SECONDS: '60', ...process.env },
  });
  if (status !== 0) throw new Error('The nodes did not bear an outage of their database');
}

async function runFaults(): Promise<void> {
  const seed = Number(process.env['TINTYPE_CRASH_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`faults of the disk, TINTYPE_CRASH_SEED=${seed}`);
  const totals = { cases: 0, fired: 0, failures: 0 };
  for (const call of calls) {
    for (const error of errors) {
      for (const when of moments) {
        const fault = { ...call, error, when };
        const { fired, failures } = await runFaultCase(fault, { seed, runJobs: true }).catch(
          (cause: unknown) => {
            throw new Error(nameOf(fault), { cause });
          },
        );
        totals.cases += 1;
        totals.fired += fired;
        totals.failures += failures;
        if (fired === 0) break;
      }
    }
    console.log(`${call.call}${call.file ? ` of ${call.file}` : ''}: ${JSON.stringify(totals)}`);
  }
}
