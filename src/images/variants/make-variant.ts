// Makes the file of a variant: once however many ask, on this node or on others, and within the bucket's budget. One for
// all processes of a node, so that none of that is done twice.
import { SingleFlight } from '../../lib/single-flight.ts';
import { AppError } from '../../platform/errors.ts';
import type { Flights } from '../../platform/flights/flights.ts';
import { planRendering } from '../rendering/plan.ts';
import type { VariantTransformation } from '../address/transformation.ts';
import type { Description } from '../rendering/worker-protocol.ts';
import { isExpensive, riskOf } from './expensive.ts';
import { GivenUp } from './given-up.ts';
import { LocalRendering, type Rendering, type RenderingParts } from './local-rendering.ts';
import type { OriginalImage } from './original-image.ts';
import { isWhole, type StoredOriginal } from './shared-variants.ts';
import type { TellNodes } from './tell-nodes.ts';
import type { Allowance, GiveBack, VariantBudget } from './variant-budget.ts';
import { variantFileName } from './variant-path.ts';
import type { Original } from './variant-store.ts';

/** Of requests refused here that still look whether another node has what they want. */
const maxLooksOfRefused = 8;

export type MakeOptions = {
  /** Stays as long as its original. */
  readonly kept?: boolean;
  readonly mark?: OriginalImage | undefined;
  /** Who pays for it; nobody where we make it ourselves. */
  readonly payer?: { readonly client: string; readonly allowance: Allowance } | undefined;
  /** Nobody waits for it. */
  readonly background?: boolean;
};

/** Whether another node had it already. */
export type Made = { readonly found: boolean };

export interface VariantMaker {
  /** Resolves when the file is there. */
  make(original: OriginalImage, transformation: VariantTransformation, options?: MakeOptions): Promise<Made>;
  /** Whether another node has it; it is then here as well. Makes nothing. */
  bring(
    original: OriginalImage,
    transformation: VariantTransformation,
    options?: MakeOptions,
  ): Promise<boolean>;
  /** The smaller copy from which most variants come, where the original deserves one. */
  makeMezzanine(original: OriginalImage): Promise<void>;
  /** What a picture looks like in a few bytes. */
  describe(original: OriginalImage, options?: Pick<MakeOptions, 'background'>): Promise<Description>;
  /** One that is here stays for good, also for other nodes. */
  keep(original: StoredOriginal, fileName: string): Promise<void>;
  /** One of those that had to stay need not any more. */
  release(original: StoredOriginal, fileName: string): Promise<void>;
  /** All of an original that is gone, on every node. */
  remove(original: Original): Promise<void>;
}

export type MakerParts = RenderingParts & {
  budget: VariantBudget;
  flights: Flights;
  /** Null where there are no others. */
  tellNodes: TellNodes | null;
};

export class LocalVariantMaker implements VariantMaker {
  readonly #parts: MakerParts;
  readonly #rendering: LocalRendering;
  readonly #flight = new SingleFlight<Made>();
  /** From before it is paid for: nobody pays twice for what he asks for twice. */
  readonly #asked = new SingleFlight<Made>();
  readonly #descriptions = new SingleFlight<Description>();
  readonly #givenUp = new GivenUp();
  #looksOfRefused = 0;

  constructor(parts: MakerParts) {
    this.#parts = parts;
    this.#rendering = new LocalRendering(parts);
  }

  async make(
    original: OriginalImage,
    transformation: VariantTransformation,
    options: MakeOptions = {},
  ): Promise<Made> {
    const { mark, payer, kept = false, background = false } = options;
    const fileName = variantFileName(transformation, mark?.generation);
    const path = this.#parts.store.pathOf(original, fileName, kept);
    if (this.#flight.isRunning(path)) return this.#join(path);
    const plan = planRendering(original.facts, transformation);
    const rendering = { original, transformation, plan, fileName, path, kept, background, mark };
    return this.#asked.run(`${path} ${payer?.client}`, () => this.#begin(rendering, payer));
  }

  bring(
    original: OriginalImage,
    transformation: VariantTransformation,
    { mark }: MakeOptions = {},
  ): Promise<boolean> {
    return this.#parts.shared.bring(original, variantFileName(transformation, mark?.generation));
  }

  makeMezzanine(original: OriginalImage): Promise<void> {
    return this.#rendering.makeMezzanine(original);
  }

  describe(original: OriginalImage, { background = false } = {}): Promise<Description> {
    return this.#descriptions.run(original.generation, () => this.#rendering.describe(original, background));
  }

  keep(original: StoredOriginal, fileName: string): Promise<void> {
    return this.#parts.shared.keep(original, fileName);
  }

  async release(original: StoredOriginal, fileName: string): Promise<void> {
    const { store, shared, tellNodes } = this.#parts;
    await store.release(original, fileName);
    await shared.release(original, fileName);
    await tellNodes?.(original, fileName);
  }

  async remove(original: Original): Promise<void> {
    const { store, shared, tellNodes } = this.#parts;
    await store.remove(original);
    await shared.remove(original);
    await tellNodes?.(original);
  }

  #join(path: string): Promise<Made> {
    return this.#flight.run(path, () => Promise.reject(new Error('Nobody makes this')));
  }

  async #begin(rendering: Rendering, payer: MakeOptions['payer']): Promise<Made> {
    const { path } = rendering;
    let giveBack: GiveBack;
    try {
      giveBack = await this.#admit(rendering, payer);
    } catch (error) {
      // Whoever waits for what somebody else has paid for must not hear that he had nothing left.
      if (this.#flight.isRunning(path)) return this.#join(path);
      if (await this.#isElsewhere(rendering)) return { found: true };
      throw error;
    }
    if (this.#flight.isRunning(path)) {
      giveBack();
      return this.#join(path);
    }
    return this.#flight.run(path, () => this.#make(rendering, giveBack));
  }

  /** Before anything is done on disk: in a flood most are refused. */
  async #admit(rendering: Rendering, payer: MakeOptions['payer']): Promise<GiveBack> {
    const { pool, budget } = this.#parts;
    const { original, background, mark } = rendering;
    const risk = riskOf(rendering, mark);
    if (risk !== null) this.#givenUp.refuse(risk);
    if (!background) pool.assertRoom();
    return payer ? budget.take(original.bucketId, payer.client, payer.allowance) : () => undefined;
  }

  /** What is there is no new variant; but a flood of what is nowhere must not become one of questions to the store. */
  async #isElsewhere({ original, fileName }: Rendering): Promise<boolean> {
    if (this.#looksOfRefused >= maxLooksOfRefused) return false;
    this.#looksOfRefused += 1;
    try {
      return await this.#parts.shared.bring(original, fileName);
    } finally {
      this.#looksOfRefused -= 1;
    }
  }

  async #make(rendering: Rendering, giveBack: GiveBack): Promise<Made> {
    const { path, mark } = rendering;
    try {
      // Another flight may have landed between the look on disk and this one.
      const made = (await isWhole(path)) ? null : await this.#fetchOrRender(rendering);
      if (made === null || made.found) giveBack();
      return made ?? { found: false };
    } catch (error) {
      const risk = riskOf(rendering, mark);
      if (error instanceof AppError && error.code === 'overloaded') giveBack();
      if (error instanceof AppError && error.code === 'undecodable' && risk !== null)
        this.#givenUp.note(risk);
      throw error;
    }
  }

  async #fetchOrRender(rendering: Rendering): Promise<Made> {
    const { shared, flights } = this.#parts;
    const { original, fileName } = rendering;
    let found = await shared.bring(original, fileName);
    if (found) return { found };
    if (!isExpensive(rendering)) {
      const { kept } = await this.#rendering.render(rendering);
      shared.publishLater(original, fileName, { kept });
      return { found };
    }
    await flights.run(`${original.generation}/${fileName}`, {
      look: async () => (found = await shared.bring(original, fileName)),
      make: async () => {
        const { kept } = await this.#rendering.render(rendering);
        // Others wait for it, and look as soon as the flight has landed.
        await shared.publish(original, fileName, { kept });
      },
    });
    return { found };
  }
}
