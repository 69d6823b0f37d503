// The maker of variants as another process of the service sees it, and the other end in the process that has it. The
// queue, the budgets and the flights that many share are there, so that they hold for all.
import type { Ask } from '../../platform/cluster/call-channel.ts';
import type { VariantTransformation } from '../address/transformation.ts';
import type { Description } from '../rendering/worker-protocol.ts';
import type { Made, MakeOptions, VariantMaker } from './make-variant.ts';
import type { ImageRow, OriginalImage } from './original-image.ts';
import type { StoredOriginal } from './shared-variants.ts';
import type { Original } from './variant-store.ts';

/** The file itself is looked for where it is needed, which may never be. */
type SentImage = { readonly row: ImageRow; readonly seconds?: number };
type SentOptions = Omit<MakeOptions, 'mark'> & { readonly mark?: SentImage };
type Making = { original: SentImage; transformation: VariantTransformation; options: SentOptions };
type Named = { original: StoredOriginal; fileName: string };

export type MakerAnswers = {
  makeVariant(making: Making): Promise<Made>;
  fetchVariant(making: Making): Promise<boolean>;
  makeMezzanine(original: SentImage): Promise<void>;
  describeImage(asked: { original: SentImage; background: boolean }): Promise<Description>;
  keepVariant(named: Named): Promise<void>;
  releaseVariant(named: Named): Promise<void>;
  removeVariants(original: Original): Promise<void>;
};

export function answersOfMaker(
  maker: VariantMaker,
  originalOf: (row: ImageRow, seconds?: number) => OriginalImage,
): MakerAnswers {
  const received = ({ row, seconds }: SentImage): OriginalImage => originalOf(row, seconds);
  const receivedOptions = ({ mark, ...others }: SentOptions): MakeOptions => ({
    ...others,
    ...(mark ? { mark: received(mark) } : {}),
  });
  return {
    makeVariant: ({ original, transformation, options }) =>
      maker.make(received(original), transformation, receivedOptions(options)),
    fetchVariant: ({ original, transformation, options }) =>
      maker.bring(received(original), transformation, receivedOptions(options)),
    makeMezzanine: (original) => maker.makeMezzanine(received(original)),
    describeImage: ({ original, background }) => maker.describe(received(original), { background }),
    keepVariant: ({ original, fileName }) => maker.keep(original, fileName),
    releaseVariant: ({ original, fileName }) => maker.release(original, fileName),
    removeVariants: (original) => maker.remove(original),
  };
}

export class RemoteVariantMaker implements VariantMaker {
  readonly #ask: Ask<MakerAnswers>;

  constructor(ask: Ask<MakerAnswers>) {
    this.#ask = ask;
  }

  make(original: OriginalImage, transformation: VariantTransformation, options?: MakeOptions): Promise<Made> {
    return this.#ask('makeVariant', {
      original: sent(original),
      transformation,
      options: sentOptions(options),
    });
  }

  bring(
    original: OriginalImage,
    transformation: VariantTransformation,
    options?: MakeOptions,
  ): Promise<boolean> {
    return this.#ask('fetchVariant', {
      original: sent(original),
      transformation,
      options: sentOptions(options),
    });
  }

  async makeMezzanine(original: OriginalImage): Promise<void> {
    await this.#ask('makeMezzanine', sent(original));
  }

  describe(original: OriginalImage, { background = false } = {}): Promise<Description> {
    return this.#ask('describeImage', { original: sent(original), background });
  }

  async keep(original: StoredOriginal, fileName: string): Promise<void> {
    await this.#ask('keepVariant', { original: stored(original), fileName });
  }

  async release(original: StoredOriginal, fileName: string): Promise<void> {
    await this.#ask('releaseVariant', { original: stored(original), fileName });
  }

  async remove({ bucketId, generation }: Original): Promise<void> {
    await this.#ask('removeVariants', { bucketId, generation });
  }
}

function sent({ row, moment }: OriginalImage): SentImage {
  return { row, ...(moment ? { seconds: moment.atMs / 1000 } : {}) };
}

function sentOptions({ mark, ...others }: MakeOptions = {}): SentOptions {
  return { ...others, ...(mark ? { mark: sent(mark) } : {}) };
}

function stored({ backend, bucketId, generation }: StoredOriginal): StoredOriginal {
  return { backend, bucketId, generation };
}
