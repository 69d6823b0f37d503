// Everything that makes variants, put together: the processes that decode, the models, the files and their limits. One for
// a whole service, however many processes answer requests.
import { join } from 'node:path';
import type { Log } from '../platform/log.ts';
import { createImageWorkerPool, type ImageWorkerPool } from './rendering/image-worker-pool.ts';
import { CacheEvictor } from './variants/cache-evictor.ts';
import { LocalVariantMaker } from './variants/make-variant.ts';
import { VariantBudget } from './variants/variant-budget.ts';
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

export type ImageServiceOptions = {
  dataDir: string;
  workers: number;
  maxQueued: number;
  maxSeconds: number;
  cacheMaxBytes: number;
  mezzanines: boolean;
  modelPath: string | null;
  takeStill: TakeStill;
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
  const budget = new VariantBudget();
  const maker = new LocalVariantMaker({
    pool,
    store,
    evictor,
    budget,
    vision,
    stills: new Stills({ store, evictor, takeStill: options.takeStill }),
    mezzanines: options.mezzanines,
  });
  let recount: NodeJS.Timeout | undefined;
  return {
    maker,
    store,
    pool,
    vision,
    evictor,
    start() {
      void store.sweep();
      evictor.start();
      recount = setInterval(() => evictor.start(), recountEveryMs).unref();
    },
    async close() {
      clearInterval(recount);
      await Promise.all([pool.close(), vision.close()]);
      await evictor.settled();
    },
  };
}
