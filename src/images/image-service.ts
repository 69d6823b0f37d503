// Everything that makes variants, put together: the processes that decode, the models, the files and their limits. One for
// a whole service, however many processes answer requests.
import { join } from 'node:path';
import type { Stores } from '../objects/stores.ts';
import type { Database } from '../platform/database/database.ts';
import { DatabaseFlights } from '../platform/flights/database-flights.ts';
import { LocalFlights } from '../platform/flights/flights.ts';
import type { Log } from '../platform/log.ts';
import { createImageWorkerPool, type ImageWorkerPool } from './rendering/image-worker-pool.ts';
import { CacheEvictor } from './variants/cache-evictor.ts';
import { LocalVariantMaker, type MakerParts } from './variants/make-variant.ts';
import { SharedVariantBudget } from './variants/shared-variant-budget.ts';
import { SharedVariants } from './variants/shared-variants.ts';
import { shareVision } from './variants/shared-vision.ts';
import type { Sharing } from './variants/sharing.ts';
import { sweepOrphanedVariants } from './variants/sweep-orphans.ts';
import { createTellNodes, dropWhatOthersRemove } from './variants/tell-nodes.ts';
import { MemoryVariantBudget } from './variants/variant-budget.ts';
import { VariantStore } from './variants/variant-store.ts';
import { Stills, type TakeStill } from './variants/stills.ts';
import { createVision, type Vision } from './vision/vision.ts';

const megabyte = 1024 * 1024;
const maxWorkerBytes = 1536 * megabyte;
const workerIdleMs = 60_000;
/** Work may wait this many times as long as it computes before it counts as hanging. */
const wallPerCpuTime = 3;
const maxQueuedLooks = 8;
/** Files also come and go without word: with their objects, and when /create keeps no more of them. */
const recountEveryMs = 3_600_000;
const sweepEveryMs = 3_600_000;

export type ImageServiceOptions = {
  dataDir: string;
  workers: number;
  maxQueued: number;
  maxSeconds: number;
  cacheMaxBytes: number;
  mezzanines: boolean;
  modelPath: string | null;
  takeStill: TakeStill;
  database: Database;
  stores: Stores;
  /** With other nodes. */
  sharing: Sharing;
  log: Log;
};

export type ImageService = {
  maker: LocalVariantMaker;
  store: VariantStore;
  pool: ImageWorkerPool;
  vision: Vision;
  evictor: CacheEvictor;
  /** Tidies up behind renderings that died, and begins to watch the size of the cache. */
  start(): void;
  close(): Promise<void>;
};

export function createVariantStore(dataDir: string): VariantStore {
  return new VariantStore({ keptDir: join(dataDir, 'variants'), cacheDir: join(dataDir, 'cache') });
}

export function createImageService(options: ImageServiceOptions): ImageService {
  const { log } = options;
  const limits = {
    cpuTimeMs: options.maxSeconds * 1000,
    wallTimeMs: options.maxSeconds * 1000 * wallPerCpuTime,
    maxRssBytes: maxWorkerBytes,
    idleMs: workerIdleMs,
  };
  const store = createVariantStore(options.dataDir);
  const pool = createImageWorkerPool({ ...limits, size: options.workers, maxQueued: options.maxQueued, log });
  const vision = createVision({
    ...limits,
    store,
    modelPath: options.modelPath,
    maxQueued: maxQueuedLooks,
    log,
  });
  const evictor = new CacheEvictor({ cacheDir: store.cacheDir, maxBytes: options.cacheMaxBytes, log });
  const { shared, sweep, ...nodes } = amongNodes(options, { store, evictor, maxWaitMs: limits.wallTimeMs });
  const maker = new LocalVariantMaker({
    ...nodes,
    pool,
    store,
    shared,
    evictor,
    vision: shareVision(vision, { shared, store }),
    stills: new Stills({ store, shared, evictor, takeStill: options.takeStill }),
    mezzanines: options.mezzanines,
  });
  const timers: NodeJS.Timeout[] = [];
  return {
    maker,
    store,
    pool,
    vision,
    evictor,
    start() {
      void store.sweep();
      evictor.start();
      timers.push(setInterval(() => evictor.start(), recountEveryMs).unref());
      if (sweep) timers.push(setInterval(sweep, sweepEveryMs).unref());
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      await shared.close();
      await Promise.all([pool.close(), vision.close()]);
      await evictor.settled();
    },
  };
}

type AmongNodes = Pick<MakerParts, 'shared' | 'budget' | 'flights' | 'tellNodes'> & {
  /** Of rows that nodes have left behind, and of what this one did not hear of. */
  sweep: (() => void) | null;
};

/** What is done once for all nodes where they share a database, and for this node alone where they do not. */
function amongNodes(
  { database, stores, sharing, log }: ImageServiceOptions,
  { store, evictor, maxWaitMs }: { store: VariantStore; evictor: CacheEvictor; maxWaitMs: number },
): AmongNodes {
  const isStored = async (generation: string): Promise<boolean> => {
    const query = database.read.selectFrom('objects').select('generation');
    return (await query.where('generation', '=', generation).executeTakeFirst()) !== undefined;
  };
  const shared = new SharedVariants({ sharing, stores, store, evictor, isStored, log });
  if (!sharing.database) {
    return {
      shared,
      budget: new MemoryVariantBudget(),
      flights: new LocalFlights(),
      tellNodes: null,
      sweep: null,
    };
  }
  const flights = new DatabaseFlights({ database, maxWaitMs });
  const budget = new SharedVariantBudget(database);
  dropWhatOthersRemove(database, store);
  const sweep = (): void =>
    void Promise.all([flights.sweep(), budget.sweep(), sweepOrphanedVariants(database, store)]).catch(
      (error: unknown) => log.warn({ err: error }, 'could not sweep what nodes share'),
    );
  return { shared, budget, flights, tellNodes: createTellNodes(database), sweep };
}
