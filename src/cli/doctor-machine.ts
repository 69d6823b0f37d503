// The doctor's look at the machine: Node, the data folder and its disk, the stores, the image workers, the clock.
import { existsSync } from 'node:fs';
import { access, constants, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { createImageWorkerPool } from '../images/rendering/image-worker-pool.ts';
import { parseTransformation, type VariantTransformation } from '../images/address/transformation.ts';
import { VariantStore } from '../images/variants/variant-store.ts';
import { createVision } from '../images/vision/vision.ts';
import { AppError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import { openStorage } from '../platform/storage/open-storage.ts';
import { createFilmWorkers } from '../videos/local/film-workers.ts';
import type { Finding } from './doctor-finding.ts';
import { formatBytes } from '../lib/format-bytes.ts';

const leastNodeMajor = 24;
const megabyte = 1024 ** 2;
const fewBytesFree = 1024 * megabyte;
const tooFewBytesFree = 64 * megabyte;
const maxSkewMs = 5000;
const sensibleTime = Date.UTC(2026, 0, 1);

export function checkNode(): Finding {
  const { node } = process.versions;
  if (Number(node.split('.')[0]) >= leastNodeMajor) return { state: 'ok', message: `Node.js ${node}` };
  return {
    state: 'fail',
    message: `Node.js ${node} is too old`,
    advice: `install ${leastNodeMajor} or newer`,
  };
}

export async function checkDataDir({ dataDir }: Config): Promise<Finding> {
  if (!existsSync(dataDir)) {
    const parent = nearestExisting(dataDir);
    await access(parent, constants.W_OK);
    return {
      state: 'warn',
      message: `${dataDir} is not there yet`,
      advice: 'nothing: the first start makes it',
    };
  }
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const advice = `give it to the user that runs Tintype: chown -R ${process.getuid?.() ?? 'user'} ${dataDir}`;
    return { state: 'fail', message: `${dataDir} cannot be written to`, advice };
  }
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const message = `${dataDir} can be written to, ${formatBytes(free)} free`;
  if (free < tooFewBytesFree) return { state: 'fail', message, advice: 'make room on this disk' };
  if (free < fewBytesFree) return { state: 'warn', message, advice: 'make room on this disk soon' };
  return { state: 'ok', message };
}

function nearestExisting(path: string): string {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

export async function checkStore({ dataDir }: Config, address: string): Promise<Finding> {
  if (!existsSync(dataDir))
    return { state: 'warn', message: `${address} not tried: there is no data folder yet` };
  try {
    await (await openStorage(address)).probe();
    return { state: 'ok', message: `${address} takes files` };
  } catch (error) {
    const advice = address.startsWith('s3:')
      ? 'see that the bucket exists, its endpoint can be reached from here, and the credentials may list, read, write and delete there'
      : 'see that the folder exists, has room, and belongs to the user that runs Tintype';
    return { state: 'fail', message: `${address} takes no files: ${(error as Error).message}`, advice };
  }
}

/** One grey pixel, as PNG. */
const tinyPicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQImWNoaGgAAAMEAYEezv+mAAAAAElFTkSuQmCC',
  'base64',
);

/** In a worker process, as the service does it: that is where a broken decoder shows. */
export async function checkImages(config: Config): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-doctor-'));
  const pool = createImageWorkerPool({
    size: 1,
    maxQueued: 1,
    wallTimeMs: config.IMAGE_SECONDS * 1000,
    maxRssBytes: 512 * megabyte,
    idleMs: 1000,
  });
  try {
    const inputPath = join(folder, 'in.png');
    await writeFile(inputPath, tinyPicture);
    const source = { width: 1, height: 1, frames: 1, alpha: false, type: 'image/png' };
    const transformation = parseTransformation('w-8.webp') as VariantTransformation;
    const outputPath = join(folder, 'out.webp');
    const { ms } = await pool.render({ inputPath, outputPath, source, transformation, costClass: 'light' });
    return { state: 'ok', message: `a worker made a WebP in ${Math.round(ms)} ms` };
  } catch (error) {
    const advice = 'install the packages anew on this machine: npm ci';
    return { state: 'fail', message: `no worker could render: ${(error as Error).message}`, advice };
  } finally {
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is no film must be told as such by a worker: then the decoder loads and answers. */
export async function checkFilms(): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-doctor-'));
  const workers = createFilmWorkers({ probes: 1, transcodes: 1, log: createLog('silent') });
  try {
    const path = join(folder, 'in.mp4');
    await writeFile(path, 'not a film');
    await workers.probe({ path, type: 'video/mp4' }, { posterPath: join(folder, 'poster.jpg') });
    return { state: 'fail', message: 'a worker took a text for a film' };
  } catch (error) {
    if (error instanceof AppError && error.code === 'undecodable')
      return { state: 'ok', message: 'a worker can look into films' };
    const advice = 'install the packages anew on this machine: npm ci';
    return {
      state: 'fail',
      message: `no worker could look into a film: ${(error as Error).message}`,
      advice,
    };
  } finally {
    await workers.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Optional: without it only `bg-remove` is missing. */
export async function checkModels(config: Config): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-doctor-'));
  const inputPath = join(folder, 'in.png');
  const vision = createVision({
    store: new VariantStore({ keptDir: join(folder, 'kept'), cacheDir: join(folder, 'cache') }),
    modelPath: config.BACKGROUND_MODEL ?? null,
    maxQueued: 1,
    wallTimeMs: config.IMAGE_SECONDS * 1000,
    maxRssBytes: 2048 * megabyte,
    idleMs: 1000,
  });
  try {
    await writeFile(inputPath, tinyPicture);
    const facts = { width: 1, height: 1, frames: 1, alpha: false, type: 'image/png' };
    const generation = '0'.repeat(24);
    await vision.makeMask({ bucketId: 'doctor', generation, facts, localPath: async () => inputPath });
    return { state: 'ok', message: 'bg-remove works' };
  } catch (error) {
    const reason = ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
    const advice = 'npm ci without --omit=optional, or another file in BACKGROUND_MODEL';
    return { state: 'warn', message: `bg-remove does not work: ${reason}`, advice };
  } finally {
    await vision.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Keys expire, links are signed and jobs fall due by it. */
export async function checkClock({ dataDir }: Config): Promise<Finding> {
  const now = Date.now();
  const advice = 'set the clock, and let NTP keep it';
  const shown = new Date(now).toISOString();
  if (now < sensibleTime) return { state: 'fail', message: `the clock says ${shown}`, advice };
  if (!existsSync(dataDir)) return { state: 'ok', message: shown };
  const probe = join(dataDir, `.clock-${process.pid}`);
  try {
    await writeFile(probe, '');
    const { mtimeMs } = await stat(probe);
    if (Math.abs(mtimeMs - now) < maxSkewMs) return { state: 'ok', message: shown };
    const skew = Math.round((mtimeMs - now) / 1000);
    return { state: 'warn', message: `the data folder's disk is ${skew} s ahead of the clock`, advice };
  } catch {
    // A folder that cannot be written to is another check's finding.
    return { state: 'ok', message: shown };
  } finally {
    await rm(probe, { force: true });
  }
}
