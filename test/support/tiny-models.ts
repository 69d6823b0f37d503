// Models of the CLIP and SigLIP families, and one that captions, a few hundred bytes each, in the folders the library for
// models expects. They know three colours: a picture is its mean colour, a question the mean of the colours it names.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeGraph } from './tiny-graph.ts';

export const colours = {
  red: [1, -1, -1],
  green: [-1, 1, -1],
  blue: [-1, -1, 1],
} as const;

const words = ['<unknown>', '<pad>', '<start>', '<end>', 'a', 'picture', 'red', 'green', 'blue'] as const;
type Word = (typeof words)[number];
const idOf = (word: Word): number => words.indexOf(word);
const maxWords = 16;
const colourNames = ['red', 'green', 'blue'] as const;

export type Files = Readonly<Record<string, Buffer | object>>;

export type TinyOptions = {
  /** Written as large as it was trained, or as the smaller form that the library takes first. */
  readonly quantised?: boolean;
  /** To which pictures are brought first: at some thousands, that takes seconds. */
  readonly side?: number;
};

/** Vectors of four numbers. */
export function tinyClip(options: TinyOptions = {}): Files {
  return tinyTowers('clip', { vision: 'image_embeds', text: 'text_embeds' }, options);
}

export function tinySiglip(options: TinyOptions = {}): Files {
  return tinyTowers('siglip', { vision: 'pooler_output', text: 'pooler_output' }, options);
}

/** Says "a red picture" of a red one. */
export function tinyCaptioner(): Files {
  return {
    ...whatEveryModelHas('GPT2Tokenizer', 'ViTFeatureExtractor'),
    'config.json': {
      model_type: 'vision-encoder-decoder',
      is_encoder_decoder: true,
      architectures: ['VisionEncoderDecoderModel'],
      encoder: { model_type: 'vit' },
      decoder: { model_type: 'gpt2', n_layer: 0, n_head: 1, n_embd: 3 },
      ...ends,
    },
    'generation_config.json': { ...ends, max_length: 12 },
    'onnx/encoder_model.onnx': encoder(),
    'onnx/decoder_model_merged.onnx': decoder(),
  };
}

const ends = {
  decoder_start_token_id: idOf('<start>'),
  bos_token_id: idOf('<start>'),
  eos_token_id: idOf('<end>'),
  pad_token_id: idOf('<pad>'),
};

/** The name is that of the model, such as `tiny/clip`. */
export async function writeModel(modelsDir: string, name: string, files: Files): Promise<string> {
  const folder = join(modelsDir, name);
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, Buffer.isBuffer(content) ? content : JSON.stringify(content));
  }
  return folder;
}

function tinyTowers(
  family: 'clip' | 'siglip',
  outputs: { readonly vision: string; readonly text: string },
  { quantised = false, side = 8 }: TinyOptions,
): Files {
  const suffix = quantised ? '_quantized' : '';
  const processor = family === 'clip' ? 'CLIPFeatureExtractor' : 'SiglipImageProcessor';
  return {
    ...whatEveryModelHas(family === 'clip' ? 'CLIPTokenizer' : 'SiglipTokenizer', processor, side),
    'config.json': { model_type: family },
    [`onnx/vision_model${suffix}.onnx`]: visionTower(outputs.vision),
    // Like the real ones, SigLIP's takes texts of full length only.
    [`onnx/text_model${suffix}.onnx`]: textTower(outputs.text, family === 'clip' ? 'words' : maxWords),
  };
}

/** From three colours to four numbers; both towers share it. */
const projection = {
  sides: [3, 4],
  values: [0.9, 0.1, 0, 0.2, 0, 0.8, 0.1, 0.2, 0.1, 0, 0.7, 0.2],
};

const pixels = { type: 'float', sides: ['pictures', 3, 'height', 'width'] } as const;

function visionTower(output: string): Buffer {
  return writeGraph({
    inputs: { pixel_values: pixels },
    outputs: { [output]: { type: 'float', sides: ['pictures', 4] } },
    constants: { projection },
    nodes: [
      {
        operation: 'ReduceMean',
        inputs: ['pixel_values'],
        output: 'colour',
        attributes: { axes: [2, 3], keepdims: 0 },
      },
      { operation: 'MatMul', inputs: ['colour', 'projection'], output },
    ],
  });
}

function textTower(output: string, length: number | string): Buffer {
  const meanings = words.flatMap((word) =>
    word in colours ? colours[word as keyof typeof colours] : [0, 0, 0],
  );
  return writeGraph({
    inputs: { input_ids: { type: 'int64', sides: ['texts', length] } },
    outputs: { [output]: { type: 'float', sides: ['texts', 4] } },
    constants: { projection, meanings: { sides: [words.length, 3], values: meanings } },
    nodes: [
      { operation: 'Gather', inputs: ['meanings', 'input_ids'], output: 'named' },
      {
        operation: 'ReduceMean',
        inputs: ['named'],
        output: 'colour',
        attributes: { axes: [1], keepdims: 0 },
      },
      { operation: 'MatMul', inputs: ['colour', 'projection'], output },
    ],
  });
}

function encoder(): Buffer {
  return writeGraph({
    inputs: { pixel_values: pixels },
    outputs: { last_hidden_state: { type: 'float', sides: ['pictures', 1, 3] } },
    constants: {},
    nodes: [
      {
        operation: 'ReduceMean',
        inputs: ['pixel_values'],
        output: 'colour',
        attributes: { axes: [2, 3], keepdims: 0 },
      },
      {
        operation: 'Unsqueeze',
        inputs: ['colour'],
        output: 'last_hidden_state',
        attributes: { axes: [1] },
      },
    ],
  });
}

/** Which word follows which; among the colours, the picture decides. */
function decoder(): Buffer {
  const follows = new Map<Word, readonly Word[]>([
    ['<start>', ['a']],
    ['a', colourNames],
    ...colourNames.map((name) => [name, ['picture']] as [Word, Word[]]),
    ['picture', ['<end>']],
  ]);
  const likely = words.flatMap((word) => words.map((next) => (follows.get(word)?.includes(next) ? 10 : 0)));
  const seen = [0, 1, 2].flatMap((channel) =>
    words.map((word) => (word in colours ? colours[word as keyof typeof colours][channel]! : 0)),
  );
  return writeGraph({
    inputs: {
      input_ids: { type: 'int64', sides: ['texts', 'words'] },
      encoder_hidden_states: { type: 'float', sides: ['texts', 1, 3] },
    },
    outputs: { logits: { type: 'float', sides: ['texts', 'words', words.length] } },
    constants: {
      likely: { sides: [words.length, words.length], values: likely },
      seen: { sides: [3, words.length], values: seen },
    },
    nodes: [
      { operation: 'Gather', inputs: ['likely', 'input_ids'], output: 'next' },
      { operation: 'MatMul', inputs: ['encoder_hidden_states', 'seen'], output: 'colour' },
      { operation: 'Add', inputs: ['next', 'colour'], output: 'logits' },
    ],
  });
}

function whatEveryModelHas(tokenizer: string, processor: string, side = 8): Files {
  return {
    'tokenizer_config.json': {
      tokenizer_class: tokenizer,
      model_max_length: maxWords,
      pad_token: '<pad>',
      eos_token: '<end>',
      unk_token: '<unknown>',
    },
    'tokenizer.json': {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: ['<unknown>', '<pad>', '<start>', '<end>'].map((content) => ({
        id: idOf(content as Word),
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      })),
      normalizer: { type: 'Lowercase' },
      pre_tokenizer: { type: 'Whitespace' },
      post_processor: null,
      decoder: { type: 'WordPiece', prefix: '##', cleanup: false },
      model: {
        type: 'WordPiece',
        unk_token: '<unknown>',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(words.map((word) => [word, idOf(word)])),
      },
    },
    'preprocessor_config.json': {
      // Some published models name only the one or the other.
      feature_extractor_type: processor,
      image_processor_type: processor,
      do_resize: true,
      size: { height: side, width: side },
      resample: 3,
      do_rescale: true,
      rescale_factor: 1 / 255,
      do_normalize: true,
      image_mean: [0.5, 0.5, 0.5],
      image_std: [0.5, 0.5, 0.5],
    },
  };
}
