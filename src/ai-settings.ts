// The settings of who looks at pictures and embeds questions.
import { isModelName } from './search/providers/local/model-files.ts';
import { asIs, onOrOff, optional, setting, webAddress, wholeNumber, Wrong } from './setting-kinds.ts';

export const aiSettings = {
  OPENAI_BASE_URL: setting(
    webAddress,
    'https://api.openai.com/v1',
    'any server that speaks the OpenAI API; see [captions and search](ai.md)',
  ),
  OPENAI_CAPTION_MODEL: setting(asIs, 'gpt-4o-mini', 'model that captions pictures'),
  OPENAI_CAPTION_SECONDS: setting(
    wholeNumber(1, 3600),
    60,
    'how long a caption may take; more for a model on a slow machine',
  ),
  OPENAI_EMBEDDING_MODEL: setting(asIs, 'text-embedding-3-small', 'model that embeds captions and queries'),
  OPENAI_EMBEDDING_DIMENSIONS: setting(
    wholeNumber(2, 4096),
    512,
    'numbers in a vector; for models that cannot shorten theirs, as many as they have',
  ),
  AI_ALLOW_PRIVATE: setting(
    onOrOff,
    false,
    'lets accounts name AI servers at private addresses (`OPENAI_BASE_URL` may always be one)',
    'off',
  ),
  ANALYSES_PER_MINUTE: setting(
    wholeNumber(1, 1_000_000),
    600,
    'pictures of one account analysed in a minute, at most',
  ),
  MODELS_DIR: optional(
    asIs,
    'folder of the models for `ai_provider: "local"`; see [local models](local-models.md)',
    '`$DATA_DIR/models`',
  ),
  MODELS_DOWNLOAD: setting(
    onOrOff,
    false,
    'fetches those models from the Hugging Face hub into that folder when they are first needed',
    'off',
  ),
  LOCAL_EMBEDDING_MODEL: setting(
    modelName,
    'Xenova/siglip-base-patch16-224',
    'model of the CLIP or SigLIP family by which pictures and questions are compared',
  ),
  LOCAL_CAPTION_MODEL: setting(
    modelName,
    'Xenova/vit-gpt2-image-captioning',
    'model that captions pictures; where it is missing, there are no captions',
  ),
} as const;

/** It becomes part of a path. */
function modelName(text: string): string {
  if (!isModelName(text)) throw new Wrong('must be a name as on the Hugging Face hub, such as owner/model');
  return text;
}
