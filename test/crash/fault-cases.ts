// One data folder on a disk that fails: clients work while chosen system calls return errors. Every answer must be true,
// the service must heal by itself once the fault is over, and a restart must find nothing but what was acknowledged.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDisk } from './checks/check-disk.ts';
import { checkService } from './checks/check-service.ts';
import { settle } from './checks/settle.ts';
import { Load } from './load/load.ts';
import { Model } from './model.ts';
import { seededRandom } from '../support/random.ts';
import { Service } from './service.ts';
import { type Fault, FaultInjector } from './strace.ts';
import { UploadMaker } from './uploads.ts';

const stepsBefore = 12;
const maxSteps = 150;
const stepsAfterFirst = 8;
const stepsHealed = 12;
/** With one thread for files, the n-th call of the process is the n-th call strace counts. */
const environment = { UV_THREADPOOL_SIZE: '1' };

/** `file` narrows it to one file of the data folder. */
export type FaultCase = Omit<Fault, 'path'> & { file?: string };
/** Without background jobs every fault is met by a request, which must then say so. */
export type FaultOptions = { seed: number; runJobs: boolean };

export function nameOf({ call, error, when, file }: FaultCase): string {
  return `${error} at ${call} ${when}${file ? ` of ${file}` : ''}`;
}

export type FaultOutcome = { fired: number; failures: number };

/** How often the fault was met, and how many answers it spoilt. Each case has a data folder of its own. */
export async function runFaultCase(fault: FaultCase, { seed, runJobs }: FaultOptions): Promise<FaultOutcome> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tintype-faults-'));
  const random = seededRandom(seed);
  const model = new Model();
  const uploads = await UploadMaker.create(random);
  const loadOf = ({ api }: Service, faulty: boolean): Load =>
    new Load({ api, model, random, uploads, faulty });

  const args = runJobs ? [] : ['--no-jobs'];
  const service = await Service.start({ dataDir, environment, args });
  await service.ready();
  await loadOf(service, false).runSteps(stepsBefore);
  const faulty = loadOf(service, true);
  const fired = await withFault(service.pid, fault, dataDir, faulty);
  assert.ok(!service.isDead, `the service died of it:\n${service.said}`);
  // No 5xx from here on: it heals by itself.
  await loadOf(service, false).runSteps(stepsHealed);
  await settle(service.api, model);
  await checkService(service.api, model);
  await service.killGroup();

  const again = await Service.start({ dataDir, environment });
  await again.ready();
  await settle(again.api, model);
  await checkService(again.api, model);
  await checkDisk(again.api, model, dataDir);
  await again.killGroup();
  await rm(dataDir, { recursive: true });
  return { fired, failures: faulty.failures };
}

/** Works until the fault was met, and a little longer. */
async function withFault(pid: number, fault: FaultCase, dataDir: string, load: Load): Promise<number> {
  const { call, error, when, file } = fault;
  const path = file ? { path: join(dataDir, file) } : {};
  const injector = await FaultInjector.attach(pid, { call, error, when, ...path }, join(dataDir, 'trace'));
  for (let step = 0; step < maxSteps && injector.timesFired() === 0; step++) await load.runSteps(1);
  await load.runSteps(stepsAfterFirst);
  await injector.detach();
  return injector.timesFired();
}
