// A provider with tiny models in a folder of its own, and pictures of one colour to show it.
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { PictureToAnalyse } from '../../src/search/providers/ai-provider.ts';
import { createLocalProvider } from '../../src/search/providers/local/local-provider.ts';
import type { LocalProvider, LocalProviderOptions } from '../../src/search/providers/local/local-provider.ts';
import { writeModel } from './tiny-models.ts';
import type { Files } from './tiny-models.ts';

export type TinyProvider = LocalProvider &
  AsyncDisposable & {
    readonly modelsDir: string;
    /** The path of a picture of that colour. */
    paint(colour: string): Promise<string>;
  };

export function pictureAt(path: string, caption: string | null = null): PictureToAnalyse {
  return { path, sizeBytes: statSync(path).size, caption };
}

/** Models by their names, and what else the provider is told; the embedding model is `tiny/clip` unless that says otherwise. */
export async function startTinyProvider(
  models: Readonly<Record<string, Files>>,
  options: Partial<LocalProviderOptions> = {},
): Promise<TinyProvider> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-local-'));
  const modelsDir = join(folder, 'models');
  for (const [name, files] of Object.entries(models)) await writeModel(modelsDir, name, files);
  const provider = createLocalProvider({
    modelsDir,
    download: false,
    embeddingModel: 'tiny/clip',
    captionModel: null,
    ...options,
  });
  // Its scales are read each time: a copy of the fields would keep the first.
  return Object.assign(Object.create(provider) as LocalProvider, {
    modelsDir,
    async paint(colour: string) {
      const path = join(folder, `${colour}.jpg`);
      await sharp({ create: { width: 64, height: 48, channels: 3, background: colour } })
        .jpeg()
        .toFile(path);
      return path;
    },
    async [Symbol.asyncDispose]() {
      await provider.close();
      await rm(folder, { recursive: true });
    },
  });
}
