// Makes the file of a variant: once however many ask, within the bucket's budget, from the smallest source that will do.
// One for all processes of a service, so that none of that is done twice.
import { basename } from 'node:path';
import { SingleFlight } from '../../lib/single-flight.ts';
import { AppError } from '../../platform/errors.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { isThere } from '../../platform/is-there.ts';
import { costClassOf } from '../rendering/budget.ts';
import type { ImageWorkerPool } from '../rendering/image-worker-pool.ts';
import { type Findings, planRendering, type RenderPlan } from '../rendering/plan.ts';
import type { VariantTransformation } from '../address/transformation.ts';
import type { Vision } from '../vision/vision.ts';
import type { Description, RenderTask } from '../rendering/worker-protocol.ts';
import type { CacheEvictor } from './cache-evictor.ts';
import { GivenUp } from './given-up.ts';
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
import type { Stills } from './stills.ts';
import type { Allowance, VariantBudget } from './variant-budget.ts';
import { readVariant } from './variant-file.ts';
import { variantFileName } from './variant-path.ts';
import type { Original, VariantStore } from './variant-store.ts';

const maxAttempts = 3;

export type MakeOptions = {
  /** Stays as long as its original. */
  readonly kept?: boolean;
  readonly mark?: OriginalImage | undefined;
  /** Who pays for it; nobody where we make it ourselves. */
  readonly payer?: { readonly client: string; readonly allowance: Allowance } | undefined;
  /** Nobody waits for it. */
  readonly background?: boolean;
};

export interface VariantMaker {
  /** Resolves when the file is there. */
  make(original: OriginalImage, transformation: VariantTransformation, options?: MakeOptions): Promise<void>;
  /** The smaller copy from which most variants come, where the original deserves one. */
  makeMezzanine(original: OriginalImage): Promise<void>;
  /** What a picture looks like in a few bytes. */
  describe(original: OriginalImage, options?: Pick<MakeOptions, 'background'>): Promise<Description>;
  remove(original: Original): Promise<void>;
}

export type MakerParts = {
  pool: Pick<ImageWorkerPool, 'render' | 'describe' | 'assertRoom'>;
  store: VariantStore;
  evictor: Pick<CacheEvictor, 'added'>;
  budget: VariantBudget;
  vision: Pick<Vision, 'findFaces' | 'makeMask'>;
  stills: Stills;
  mezzanines: boolean;
};

type Making = {
  original: OriginalImage;
  transformation: VariantTransformation;
  options: MakeOptions;
  path: string;
  plan: RenderPlan;
};

export class LocalVariantMaker implements VariantMaker {
  readonly #parts: MakerParts;
  readonly #flight = new SingleFlight<void>();
  readonly #descriptions = new SingleFlight<Description>();
  readonly #givenUp = new GivenUp();

  constructor(parts: MakerParts) {
    this.#parts = parts;
  }

  async make(
    original: OriginalImage,
    transformation: VariantTransformation,
    options: MakeOptions = {},
  ): Promise<void> {
    const { pool, store, budget } = this.#parts;
    const fileName = variantFileName(transformation, options.mark?.generation);
    const path = store.pathOf(original, fileName, options.kept === true);
    if (this.#flight.isRunning(path)) return this.#flight.run(path, async () => undefined);
    const plan = planRendering(original.facts, transformation);
    const { payer } = options;
    const risk = riskOf({ original, transformation, options, path, plan });
    if (risk !== null) this.#givenUp.refuse(risk);
    // Before anything is done on disk: in a flood most are refused.
    if (!options.background) pool.assertRoom();
    // Before the flight begins: whoever joins it later must not hear that somebody else had nothing left.
    const giveBack = payer ? budget.take(original.bucketId, payer.client, payer.allowance) : null;
    await this.#flight.run(path, async () => {
      // Another flight may have landed between the look on disk and this one.
      if (await isWhole(path)) return giveBack?.();
      try {
        await this.#renderAgainIfLost({ original, transformation, options, path, plan });
      } catch (error) {
        if (error instanceof AppError && error.code === 'overloaded') giveBack?.();
        if (error instanceof AppError && error.code === 'undecodable' && risk !== null)
          this.#givenUp.note(risk);
        throw error;
      }
    });
  }

  async makeMezzanine(original: OriginalImage): Promise<void> {
    const { store, mezzanines } = this.#parts;
    if (!mezzanines || !deservesMezzanine(original.facts)) return;
    const path = store.pathOf(original, nameFor(original, mezzanineFileName), false);
    if (await isThere(path)) return;
    const transformation = mezzanineTransformation();
    const plan = planRendering(original.facts, transformation);
    await this.#render({ original, transformation, options: { background: true }, path, plan });
  }

  describe(original: OriginalImage, { background = false } = {}): Promise<Description> {
    return this.#descriptions.run(original.generation, () => this.#describe(original, background));
  }

  async #describe(original: OriginalImage, background: boolean): Promise<Description> {
    const { pool, store } = this.#parts;
    const copy = store.pathOf(original, nameFor(original, mezzanineFileName), false);
    const task = (await isThere(copy))
      ? { inputPath: copy, source: mezzanineSize(original.facts) }
      : { inputPath: await original.localPath(), source: original.facts };
    return pool.describe(task, { background });
  }

  remove(original: Original): Promise<void> {
    return this.#parts.store.remove(original);
  }

  /** A copy it was made from, or the folder it goes to, may be dropped at any time: what counts is the original. */
  async #renderAgainIfLost(making: Making): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#render(making);
      } catch (error) {
        const isLost = error instanceof AppError && error.code === 'object_not_found';
        if (!isLost || attempt === maxAttempts) throw error;
        if (!(await isThere(await making.original.localPath()))) throw error;
      }
    }
  }

  async #render({ original: asked, transformation, options, path, plan }: Making): Promise<void> {
    const { pool, store, evictor, stills } = this.#parts;
    await store.makeFolder(path);
    const original = await stills.of(asked);
    const task: RenderTask = {
      ...(await this.#source(original, transformation, plan)),
      ...(await this.#fromPixels(original, transformation)),
      ...(options.mark ? { markPath: await options.mark.localPath() } : {}),
      source: original.facts,
      transformation,
      outputPath: path,
      stagingFolder: store.stagingFolder,
    };
    const { size } = await pool.render(task, { background: options.background === true });
    failpoint('render:written');
    const kept =
      options.kept === true ||
      (transformation.tokens['bg-remove'] === true && (await store.keepIfRoom(original, basename(path))));
    if (!kept) await evictor.added(path, size);
  }

  async #source(
    original: OriginalImage,
    transformation: VariantTransformation,
    plan: RenderPlan,
  ): Promise<Pick<RenderTask, 'inputPath' | 'inputSize' | 'costClass'>> {
    if (suitsMezzanine(original.facts, plan, transformation)) {
      const inputPath = this.#parts.store.pathOf(original, nameFor(original, mezzanineFileName), false);
      if (await takeMezzanine(inputPath)) {
        const costClass = costClassOf(estimateFromMezzanine(original.facts, plan));
        return { inputPath, inputSize: mezzanineSize(original.facts), costClass };
      }
    }
    return { inputPath: await original.localPath(), costClass: plan.costClass };
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

/** By what its failure is remembered; null where little is lost by trying, or the watermark may be at fault. */
function riskOf({ original, transformation, options, plan }: Making): string | null {
  if (plan.costClass !== 'heavy' || options.mark) return null;
  return `${original.generation} ${transformation.format}`;
}

async function isWhole(path: string): Promise<boolean> {
  const variant = await readVariant(path);
  await variant?.handle.close();
  return variant !== null;
}
