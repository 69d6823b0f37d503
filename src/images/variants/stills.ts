// Frames of films, taken out once and kept among the variants that may be dropped, so that many sizes of one moment cost
// one look into the film.
import { rename, rm, stat } from 'node:fs/promises';
import { SingleFlight } from '../../lib/single-flight.ts';
import { isThere } from '../../platform/is-there.ts';
import type { CacheEvictor } from './cache-evictor.ts';
import { type Moment, nameFor, type OriginalImage } from './original-image.ts';
import type { SharedVariants } from './shared-variants.ts';
import { temporaryPath } from './variant-file.ts';
import type { VariantStore } from './variant-store.ts';

/** Writes the frame of a moment as a JPEG. */
export type TakeStill = (
  film: { path: string; type: string },
  options: { atMs: number; outputPath: string },
) => Promise<void>;

const fileName = 'still.jpg';

type Parts = {
  store: VariantStore;
  shared: SharedVariants;
  evictor: Pick<CacheEvictor, 'added'>;
  takeStill: TakeStill;
};

export class Stills {
  readonly #parts: Parts;
  readonly #flight = new SingleFlight<void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The picture to render from: the frame, where one is wanted, else the original as it is. */
  async of(original: OriginalImage): Promise<OriginalImage> {
    const { moment } = original;
    if (!moment) return original;
    const path = this.#parts.store.pathOf(original, nameFor(original, fileName), false);
    if (!(await isThere(path))) await this.#flight.run(path, () => this.#take(original, path));
    return { ...original, localPath: () => Promise.resolve(path) };
  }

  async #take(original: OriginalImage, path: string): Promise<void> {
    const { store, shared, evictor, takeStill } = this.#parts;
    const name = nameFor(original, fileName);
    if (await shared.bring(original, name, { plain: true })) return;
    const { atMs, filmType: type } = original.moment as Moment;
    await store.makeFolder(path);
    const outputPath = temporaryPath(path, process.pid, store.stagingFolder);
    try {
      await takeStill({ path: await original.localPath(), type }, { atMs, outputPath });
      await rename(outputPath, path);
    } catch (error) {
      await rm(outputPath, { force: true });
      throw error;
    }
    await evictor.added(path, (await stat(path)).size);
    shared.publishLater(original, name);
  }
}
