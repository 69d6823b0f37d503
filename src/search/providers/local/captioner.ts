// A model that says what is on a picture, in a few words.
import type { ImageToTextPipeline, RawImage } from '@huggingface/transformers';
import type { CaptionModel, Precision } from './model-files.ts';
import { sessionOptions } from './model-library.ts';
import type { ModelLibrary } from './model-library.ts';
import type { LoadOptions } from './towers.ts';

/** Such models repeat themselves rather than stop. */
const maxTokens = 40;

export async function loadCaptioner(
  library: ModelLibrary,
  { name, encoder, decoder }: CaptionModel,
  options: LoadOptions = {},
): Promise<ImageToTextPipeline> {
  const dtype: Record<string, Precision> = { encoder_model: encoder, decoder_model_merged: decoder };
  return library.pipeline('image-to-text', name, { ...options, dtype, session_options: sessionOptions });
}

/** Null where it finds no words. */
export async function captionOf(captioner: ImageToTextPipeline, picture: RawImage): Promise<string | null> {
  const [first] = await captioner(picture, { max_new_tokens: maxTokens });
  return first?.generated_text.trim() || null;
}
