// A model of the CLIP or SigLIP family: two towers that turn pictures and texts into vectors of the same space. Each is
// loaded when it is first needed, because a server that only answers questions needs no eyes.
import type {
  PreTrainedModel,
  PreTrainedTokenizer,
  Processor,
  RawImage,
  Tensor,
} from '@huggingface/transformers';
import type { EmbeddingModel, Family, Precision } from './model-files.ts';
import { sessionOptions } from './model-library.ts';
import type { ModelLibrary } from './model-library.ts';

export type Towers = {
  /** Neither vector has any particular length. */
  embedPicture(picture: RawImage): Promise<Float32Array>;
  embedText(text: string): Promise<Float32Array>;
};

export type LoadOptions = { readonly progress_callback?: () => void };

export function createTowers(library: ModelLibrary, model: EmbeddingModel): Towers {
  const { name, family } = model;
  let eyes: Promise<[Processor, PreTrainedModel]> | null = null;
  let reader: Promise<[PreTrainedTokenizer, PreTrainedModel]> | null = null;
  return {
    async embedPicture(picture) {
      const [processor, tower] = await (eyes ??= Promise.all([
        library.AutoProcessor.from_pretrained(name),
        loadTower(library, { tower: 'vision', name, family, precision: model.vision }),
      ]));
      return vectorIn(await tower(await processor(picture)), ['image_embeds', 'pooler_output']);
    },
    async embedText(text) {
      const [tokenizer, tower] = await (reader ??= Promise.all([
        library.AutoTokenizer.from_pretrained(name),
        loadTower(library, { tower: 'text', name, family, precision: model.text }),
      ]));
      // SigLIP saw only texts of full length while it learnt.
      const padding = family === 'siglip' ? ('max_length' as const) : true;
      return vectorIn(await tower(tokenizer([text], { padding, truncation: true })), [
        'text_embeds',
        'pooler_output',
      ]);
    },
  };
}

export type TowerToLoad = {
  readonly tower: 'vision' | 'text';
  readonly name: string;
  readonly family: Family;
  readonly precision: Precision;
};

export function loadTower(
  library: ModelLibrary,
  { tower, name, family, precision }: TowerToLoad,
  options: LoadOptions = {},
): Promise<PreTrainedModel> {
  const kinds = {
    clip: { vision: library.CLIPVisionModelWithProjection, text: library.CLIPTextModelWithProjection },
    siglip: { vision: library.SiglipVisionModel, text: library.SiglipTextModel },
  };
  const settings = { ...options, dtype: precision, session_options: sessionOptions };
  return kinds[family][tower].from_pretrained(name, settings);
}

function vectorIn(outputs: Record<string, Tensor>, names: readonly string[]): Float32Array {
  const output = names.map((name) => outputs[name]).find((tensor) => tensor !== undefined);
  if (!(output?.data instanceof Float32Array) || output.dims.length !== 2 || output.dims[0] !== 1) {
    throw new Error(`it answers ${Object.keys(outputs).join(', ')} instead of one vector`);
  }
  return output.data;
}
