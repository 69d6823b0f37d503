// The decoders of films as the settings want them; the server and the import both have them.
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Log } from './platform/log.ts';
import { createFilmService, type FilmService } from './videos/film-service.ts';

export function openFilmService(config: Config, log: Log): FilmService {
  return createFilmService({
    posterFolder: join(config.dataDir, 'cache', '.staging'),
    transcodingFolder: join(config.dataDir, 'transcoding'),
    transcodes: config.VIDEO_WORKERS,
    providerName: config.VIDEO_PROVIDER,
    log,
  });
}
