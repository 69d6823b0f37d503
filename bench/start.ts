// How long a start takes on a data folder that exists, and how much memory the process holds when nobody asks anything.
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolder } from './support/cleanup.ts';
import { residentMegabytes } from './support/process-usage.ts';
import { atMost, type Scenario } from './support/report.ts';
import { startService } from './support/service.ts';
import { median } from './support/statistics.ts';

const runs = 5;
const idleMs = 5000;

export const start: Scenario = async () => {
  using folder = temporaryFolder();
  const first = await startService({ dataDir: folder.path });
  await first.stop();
  const startMs: number[] = [];
  const idleMegabytes: number[] = [];
  for (let run = 0; run < runs; run++) {
    await using service = await startService({ dataDir: folder.path });
    startMs.push(service.startMs);
    await delay(idleMs);
    idleMegabytes.push(residentMegabytes(service.pid));
  }
  return [
    atMost(`spawn to ready, median of ${runs}`, median(startMs), 1000, ' ms'),
    atMost('memory when idle (RSS)', median(idleMegabytes), 150, ' MB'),
  ];
};
