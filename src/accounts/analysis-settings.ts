// The settings of an account that decide whether its pictures are analysed, and by whom.
import type { Account } from './tables.ts';

export const analysisSettings = [
  'ai_analysis',
  'ai_provider',
  'openai_api_key_sealed',
  'openai_base_url',
  'openai_caption_model',
  'openai_embedding_model',
  'openai_embedding_dimensions',
] as const satisfies (keyof Account)[];

/** A key that is set again counts as another: it may have come to life meanwhile. */
export function analysesAlike(one: Account, other: Account): boolean {
  return analysisSettings.every((name) => one[name] === other[name]);
}
