// Renders the file of a variant to this node's disk, from the smallest source that will do: a copy that is there, or one
// that another node has made, and only then the original.
import { failpoint } from '../../platform/failpoints.ts';
import { AppError } from '../../platform/errors.ts';
import { isThere } from '../../platform/is-there.ts';
import { isAbsent } from '../../platform/storage/storage-error.ts';
import { costClassOf } from '../rendering/budget.ts';
import type { ImageWorkerPool } from '../rendering/image-worker-pool.ts';
import { type Findings, planRendering, type RenderPlan } from '../rendering/plan.ts';
import type { VariantTransformation } from '../address/transformation.ts';
import type { Description, RenderTask } from '../rendering/worker-protocol.ts';
import type { CacheEvictor } from './cache-evictor.ts';
import {
  deservesMezzanine,
  estimateFromMezzanine,
  mezzanineFileName,
  mezzanineSize,
  mezzanineTransformation,
  suitsMezzanine,
  takeMezzanine,
} from './mezzanine.ts';
import { nameFor, type OriginalImage } from './original-image.ts';
import type { SharedVariants } from './shared-variants.ts';
import type { VisionOfOriginals } from './shared-vision.ts';
import type { Stills } from './stills.ts';
import type { VariantStore } from './variant-store.ts';

const maxAttempts = 3;

export type RenderingParts = {
  pool: Pick<ImageWorkerPool, 'render' | 'describe' | 'assertRoom'>;
  store: VariantStore;
  shared: SharedVariants;
  evictor: Pick<CacheEvictor, 'added'>;
  vision: VisionOfOriginals;
  stills: Stills;
  mezzanines: boolean;
};

export type Rendering = {
  readonly original: OriginalImage;
  readonly transformation: VariantTransformation;
  readonly plan: RenderPlan;
  readonly fileName: string;
  readonly path: string;
  readonly kept: boolean;
  readonly background: boolean;
  readonly mark?: OriginalImage | undefined;
};

export class LocalRendering {
  readonly #parts: RenderingParts;

  constructor(parts: RenderingParts) {
    this.#parts = parts;
  }

  /**
   * Resolves to whether it lies among those that are kept. A copy it was made from, or the folder it goes to, may be
   * dropped at any time: what counts is the original.
   */
  async render(rendering: Rendering): Promise<{ kept: boolean }> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#render(rendering);
      } catch (error) {
        if (!isLost(error) || attempt === maxAttempts) throw error;
        if (!(await isThere(await rendering.original.localPath()))) throw error;
      }
    }
  }

  async makeMezzanine(original: OriginalImage): Promise<void> {
    const { shared, mezzanines } = this.#parts;
    if (!mezzanines || !deservesMezzanine(original.facts)) return;
    const { fileName, path } = this.#mezzanineOf(original);
    if ((await isThere(path)) || (await shared.bring(original, fileName))) return;
    const transformation = mezzanineTransformation();
    const plan = planRendering(original.facts, transformation);
    await this.#render({ original, transformation, plan, fileName, path, kept: false, background: true });
    shared.publishLater(original, fileName);
  }

  async describe(original: OriginalImage, background: boolean): Promise<Description> {
    const copy = deservesMezzanine(original.facts) ? await this.#takeMezzanine(original) : null;
    const task = copy
      ? { inputPath: copy, source: mezzanineSize(original.facts) }
      : { inputPath: await original.localPath(), source: original.facts };
    return this.#parts.pool.describe(task, { background });
  }

  async #render(rendering: Rendering): Promise<{ kept: boolean }> {
    const { pool, store, evictor, stills } = this.#parts;
    const { original: asked, transformation, plan, path, fileName, mark, background } = rendering;
    await store.makeFolder(path);
    const original = await stills.of(asked);
    const task: RenderTask = {
      ...(await this.#source(original, transformation, plan)),
      ...(await this.#fromPixels(original, transformation)),
      ...(mark ? { markPath: await mark.localPath() } : {}),
      source: original.facts,
      transformation,
      outputPath: path,
      stagingFolder: store.stagingFolder,
    };
    const { size } = await pool.render(task, { background });
    failpoint('render:written');
    const kept =
      rendering.kept ||
      (transformation.tokens['bg-remove'] === true && (await store.keepIfRoom(original, fileName)));
    if (!kept) await evictor.added(path, size);
    return { kept };
  }

  async #source(
    original: OriginalImage,
    transformation: VariantTransformation,
    plan: RenderPlan,
  ): Promise<Pick<RenderTask, 'inputPath' | 'inputSize' | 'costClass'>> {
    if (suitsMezzanine(original.facts, plan, transformation)) {
      const inputPath = await this.#takeMezzanine(original);
      if (inputPath !== null) {
        const costClass = costClassOf(estimateFromMezzanine(original.facts, plan));
        return { inputPath, inputSize: mezzanineSize(original.facts), costClass };
      }
    }
    return { inputPath: await original.localPath(), costClass: plan.costClass };
  }

  #mezzanineOf(original: OriginalImage): { fileName: string; path: string } {
    const fileName = nameFor(original, mezzanineFileName);
    return { fileName, path: this.#parts.store.pathOf(original, fileName, false) };
  }

  async #takeMezzanine(original: OriginalImage): Promise<string | null> {
    const { fileName, path } = this.#mezzanineOf(original);
    return (await takeMezzanine(path)) || (await this.#parts.shared.bring(original, fileName)) ? path : null;
  }

  async #fromPixels(
    original: OriginalImage,
    { tokens }: VariantTransformation,
  ): Promise<{ findings?: Findings; maskPath?: string }> {
    const { vision } = this.#parts;
    return {
      ...(tokens.g === 'face' ? { findings: { face: await vision.findFaces(original) } } : {}),
      ...(tokens['bg-remove'] ? { maskPath: await vision.makeMask(original) } : {}),
    };
  }
}

/** Also while the folder was being made: of a path whose upper part goes meanwhile, mkdir says that it is not there. */
function isLost(error: unknown): boolean {
  return isAbsent(error) || (error instanceof AppError && error.code === 'object_not_found');
}
