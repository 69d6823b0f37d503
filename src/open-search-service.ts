// Search as the settings want it: the index beside the database, the providers, and small copies for them to look at.
import { createAiProviders } from './ai-providers.ts';
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import type { ImageService } from './images/image-service.ts';
import { openPictureIndex } from './open-picture-index.ts';
import type { Log } from './platform/log.ts';
import { createLocalProvider } from './search/providers/local/local-provider.ts';
import { createSearchService, type SearchService } from './search/search-service.ts';
import { createSmallCopies } from './small-copies.ts';

export function openSearchService(
  config: Config,
  { database, stores, urls, secretBox }: Core,
  { images, log }: { images: ImageService; log: Log },
): SearchService {
  const local = createLocalProvider({
    modelsDir: config.modelsDir,
    download: config.MODELS_DOWNLOAD,
    embeddingModel: config.LOCAL_EMBEDDING_MODEL,
    captionModel: config.LOCAL_CAPTION_MODEL,
    log,
  });
  const service = createSearchService({
    database,
    urls,
    index: openPictureIndex(config, database, log),
    providers: createAiProviders({ config, database, secretBox, local }),
    perMinute: config.ANALYSES_PER_MINUTE,
    smallCopyOf: createSmallCopies({ database, stores, images }),
    log,
  });
  return {
    ...service,
    async stop() {
      await service.stop();
      await local.close();
    },
  };
}
