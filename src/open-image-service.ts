// Everything that makes variants, as the settings want it.
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import { createImageService, type ImageService } from './images/image-service.ts';
import type { Log } from './platform/log.ts';
import type { FilmService } from './videos/film-service.ts';

export function openImageService(
  config: Config,
  { database, stores, sharing }: Core,
  { films, log, workers = config.IMAGE_WORKERS }: { films: FilmService; log: Log; workers?: number },
): ImageService {
  return createImageService({
    dataDir: config.dataDir,
    workers,
    maxQueued: config.IMAGE_QUEUE,
    maxSeconds: config.IMAGE_SECONDS,
    cacheMaxBytes: config.CACHE_MAX_BYTES,
    mezzanines: config.MEZZANINES,
    modelPath: config.BACKGROUND_MODEL ?? null,
    takeStill: films.takeStill,
    database,
    stores,
    sharing,
    log,
  });
}
