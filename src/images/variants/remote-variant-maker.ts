// The maker of variants as another process of the service sees it, and the other end in the process that has it. The
// queue, the budgets and the flights that many share are there, so that they hold for all.
import type { Ask } from '../../platform/cluster/call-channel.ts';
import type { SourceFacts } from '../rendering/plan.ts';
import type { VariantTransformation } from '../address/transformation.ts';
import type { Description } from '../rendering/worker-protocol.ts';
import type { MakeOptions, VariantMaker } from './make-variant.ts';
import type { Moment, OriginalImage } from './original-image.ts';
import type { Original } from './variant-store.ts';

type SentImage = Original & {
  readonly facts: SourceFacts;
  readonly path: string;
  readonly moment?: Moment;
};
type SentOptions = Omit<MakeOptions, 'mark'> & { readonly mark?: SentImage };
type Making = { original: SentImage; transformation: VariantTransformation; options: SentOptions };

export type MakerAnswers = {
  makeVariant(making: Making): Promise<void>;
  makeMezzanine(original: SentImage): Promise<void>;
  describeImage(asked: { original: SentImage; background: boolean }): Promise<Description>;
  removeVariants(original: Original): Promise<void>;
};

export function answersOfMaker(maker: VariantMaker): MakerAnswers {
  return {
    makeVariant: ({ original, transformation, options: { mark, ...others } }) =>
      maker.make(received(original), transformation, {
        ...others,
        ...(mark ? { mark: received(mark) } : {}),
      }),
    makeMezzanine: (original) => maker.makeMezzanine(received(original)),
    describeImage: ({ original, background }) => maker.describe(received(original), { background }),
    removeVariants: (original) => maker.remove(original),
  };
}

export class RemoteVariantMaker implements VariantMaker {
  readonly #ask: Ask<MakerAnswers>;

  constructor(ask: Ask<MakerAnswers>) {
    this.#ask = ask;
  }

  async make(
    original: OriginalImage,
    transformation: VariantTransformation,
    { mark, ...others }: MakeOptions = {},
  ): Promise<void> {
    const options = { ...others, ...(mark ? { mark: await sent(mark) } : {}) };
    await this.#ask('makeVariant', { original: await sent(original), transformation, options });
  }

  async makeMezzanine(original: OriginalImage): Promise<void> {
    await this.#ask('makeMezzanine', await sent(original));
  }

  async describe(original: OriginalImage, { background = false } = {}): Promise<Description> {
    return this.#ask('describeImage', { original: await sent(original), background });
  }

  async remove({ bucketId, generation }: Original): Promise<void> {
    await this.#ask('removeVariants', { bucketId, generation });
  }
}

async function sent(original: OriginalImage): Promise<SentImage> {
  const { bucketId, generation, facts, moment } = original;
  const path = await original.localPath();
  return { bucketId, generation, facts, path, ...(moment ? { moment } : {}) };
}

function received({ path, ...original }: SentImage): OriginalImage {
  return { ...original, localPath: () => Promise.resolve(path) };
}
