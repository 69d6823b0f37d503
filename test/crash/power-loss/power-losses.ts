// Load, and then the power fails: the service is killed, its data folder replaced by what a disk would still hold, and
// everything acknowledged must be there when it starts again.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkDisk } from '../checks/check-disk.ts';
import { checkService } from '../checks/check-service.ts';
import { settle } from '../checks/settle.ts';
import { update, uploadWithId } from '../load/changes.ts';
import { Load } from '../load/load.ts';
import { Model } from '../model.ts';
import { type Random, seededRandom } from '../../support/random.ts';
import { Service, type StartOptions } from '../service.ts';
import { readTrace } from '../strace.ts';
import { UploadMaker } from '../uploads.ts';
import { FileSystemDouble } from './file-system-double.ts';
import { losePower } from './lose-power.ts';
import { replayTrace, traceOptions } from './replay-trace.ts';

const clients = 4;

export type PowerLosses = { acknowledged: number; unsynced: number };

/** One life of a library through so many losses. Throws at the first thing lost, and then keeps the folder for a look. */
export async function runPowerLosses(count: number): Promise<PowerLosses> {
  const seed = Number(process.env['TINTYPE_CRASH_SEED'] ?? Date.now() % 2 ** 31);
  const random = seededRandom(seed);
  const parent = await mkdtemp(join(tmpdir(), 'tintype-power-'));
  console.log(`${count} losses of power, TINTYPE_CRASH_SEED=${seed}`);
  const life = { model: new Model(), random, uploads: await UploadMaker.create(random) };
  let unsynced = 0;
  mkdirSync(join(parent, '0'));
  for (let round = 1; round <= count; round++) {
    try {
      // In turn: all that was not synced is lost, and only some of it.
      const chance = round % 2 === 1 ? null : random;
      unsynced += await loseOnce(life, {
        before: join(parent, `${round - 1}`),
        after: join(parent, `${round}`),
        chance,
      });
    } catch (error) {
      console.log(`loss ${round} failed; TINTYPE_CRASH_SEED=${seed}, kept: ${parent}`);
      throw error;
    }
    await rm(join(parent, `${round - 1}`), { recursive: true });
  }
  await rm(parent, { recursive: true });
  return { acknowledged: life.model.acknowledged, unsynced };
}

type Life = { model: Model; random: Random; uploads: UploadMaker };
type Folders = { before: string; after: string; chance: Random | null };

/** Returns how many calls had not been synced when the power failed. */
async function loseOnce(life: Life, { before, after, chance }: Folders): Promise<number> {
  const traceFile = `${before}.trace`;
  const double = new FileSystemDouble(before);
  // Jobs sync the folders they write to, and with them what others should have synced: half the time they do not run.
  const args = life.random.chance(0.5) ? ['--no-jobs'] : [];
  await withService(
    { dataDir: before, args, under: ['strace', ...traceOptions, '-o', traceFile] },
    async (service) => {
      const parts = { ...life, api: service.api };
      const all = new Load(parts);
      const load = all.run(clients);
      await Promise.race([load, sleep(life.random.between(200, 1200))]);
      // A deletion syncs the folder of its neighbours too: the last before the end only add.
      if (life.random.chance(0.5)) {
        all.stop();
        await load;
        await new Load(parts, [uploadWithId, update]).runSteps(life.random.between(1, 5));
      }
      await service.killGroup();
      await load;
    },
  );
  replayTrace(readTrace(traceFile), double, before);
  await rm(traceFile);
  const unsynced = pendingIn(double.tree);
  losePower(double.tree, after, chance);
  await withService({ dataDir: after }, async ({ api }) => {
    await settle(api, life.model);
    await checkService(api, life.model);
    await checkDisk(api, life.model, after);
  });
  return unsynced;
}

async function withService(options: StartOptions, use: (service: Service) => Promise<void>): Promise<void> {
  const service = await Service.start(options);
  try {
    assert.notEqual(await service.ready(), null, service.said);
    await use(service);
  } finally {
    await service.killGroup();
  }
}

function pendingIn(node: FileSystemDouble['tree']): number {
  const below = [...node.now.values()].map((each) =>
    each.kind === 'folder' ? pendingIn(each) : each.pending.length,
  );
  return below.reduce((sum, count) => sum + count, node.pending.length);
}
