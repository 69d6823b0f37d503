// Which models lie in the folder of models, and in which form: looked up on the disk each time, so that a model that was put
// there is used without a restart.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isThere } from '../../../platform/is-there.ts';

/** Each is loaded and calibrated in its own way. */
export type Family = 'clip' | 'siglip';

/** Best first: a quarter of the size, as trained, and what some models have only. */
export const precisions = ['q8', 'fp32', 'fp16'] as const;
export type Precision = (typeof precisions)[number];
const endings: Readonly<Record<Precision, string>> = { q8: '_quantized', fp32: '', fp16: '_fp16' };

export type EmbeddingModel = {
  readonly name: string;
  readonly family: Family;
  readonly vision: Precision;
  readonly text: Precision;
};

export type CaptionModel = {
  readonly name: string;
  readonly encoder: Precision;
  readonly decoder: Precision;
};

/** What the folder lacks of a model, or what speaks against it. */
export type NotUsable = { readonly missing: readonly string[] } | { readonly unknownKind: string };

const textFiles = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'preprocessor_config.json'];

/**
 * As the hub names models. Whatever else somebody sets would be taken for a path by the library, and might lead out of the
 * folder.
 */
export function isModelName(name: string): boolean {
  return /^(\w([\w.-]*\w)?\/)?\w([\w.-]{0,94}\w)?$/.test(name) && !/\.\.|--|\.git$|\.ipynb$/.test(name);
}

export async function findEmbeddingModel(
  modelsDir: string,
  name: string,
): Promise<EmbeddingModel | NotUsable> {
  const [missing, vision, text] = await Promise.all([
    missingOf(modelsDir, name),
    precisionOf(modelsDir, name, 'vision_model'),
    precisionOf(modelsDir, name, 'text_model'),
  ]);
  if (vision === null) missing.push('onnx/vision_model_quantized.onnx');
  if (text === null) missing.push('onnx/text_model_quantized.onnx');
  if (missing.length > 0 || vision === null || text === null) return { missing };
  const kind = readKind(modelsDir, name);
  return isFamily(kind) ? { name, family: kind, vision, text } : { unknownKind: kind ?? 'none' };
}

export async function findCaptionModel(modelsDir: string, name: string): Promise<CaptionModel | NotUsable> {
  const [missing, encoder, decoder] = await Promise.all([
    missingOf(modelsDir, name),
    precisionOf(modelsDir, name, 'encoder_model'),
    precisionOf(modelsDir, name, 'decoder_model_merged'),
  ]);
  if (encoder === null) missing.push('onnx/encoder_model_quantized.onnx');
  if (decoder === null) missing.push('onnx/decoder_model_merged_quantized.onnx');
  return missing.length > 0 || encoder === null || decoder === null
    ? { missing }
    : { name, encoder, decoder };
}

/** Null where there is no such model yet. */
export function readFamily(modelsDir: string, name: string): Family | null {
  const kind = isModelName(name) ? readKind(modelsDir, name) : null;
  return isFamily(kind) ? kind : null;
}

export function isFamily(kind: unknown): kind is Family {
  return kind === 'clip' || kind === 'siglip';
}

function readKind(modelsDir: string, name: string): string | null {
  try {
    const config: unknown = JSON.parse(readFileSync(join(modelsDir, name, 'config.json'), 'utf8'));
    return String((config as { model_type?: unknown }).model_type);
  } catch {
    return null;
  }
}

async function missingOf(modelsDir: string, name: string): Promise<string[]> {
  const there = await Promise.all(textFiles.map((file) => isThere(join(modelsDir, name, file))));
  return textFiles.filter((_, index) => !there[index]);
}

async function precisionOf(modelsDir: string, name: string, part: string): Promise<Precision | null> {
  for (const precision of precisions) {
    if (await isThere(join(modelsDir, name, 'onnx', `${part}${endings[precision]}.onnx`))) return precision;
  }
  return null;
}
