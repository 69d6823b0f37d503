// The settings of the analysis as they stand in the form, and what of them is a change.
import type { Account } from '../../../../client/src/index.ts';
import type { AccountChange } from '../use-account.ts';

export type AiDraft = {
  readonly isOn: boolean;
  readonly provider: Account['ai_provider'];
  /** Empty keeps the one there is. */
  readonly key: string;
  /** Empty follows the server, as in the next three. */
  readonly baseUrl: string;
  readonly captionModel: string;
  readonly embeddingModel: string;
  readonly dimensions: string;
};

export function draftOf(account: Account): AiDraft {
  return {
    isOn: account.ai_analysis,
    provider: account.ai_provider,
    key: '',
    baseUrl: account.openai_base_url ?? '',
    captionModel: account.openai_caption_model ?? '',
    embeddingModel: account.openai_embedding_model ?? '',
    dimensions: String(account.openai_embedding_dimensions ?? ''),
  };
}

/** Only what differs: a key that is set again would have pictures tried again. */
export function changeBetween(account: Account, draft: AiDraft): AccountChange {
  const wanted = {
    ai_analysis: draft.isOn,
    ai_provider: draft.provider,
    openai_base_url: textOrNull(draft.baseUrl),
    openai_caption_model: textOrNull(draft.captionModel),
    openai_embedding_model: textOrNull(draft.embeddingModel),
    openai_embedding_dimensions: draft.dimensions === '' ? null : Number(draft.dimensions),
  };
  const changed = Object.entries(wanted).filter(
    ([name, value]) => account[name as keyof typeof wanted] !== value,
  );
  return {
    ...Object.fromEntries(changed),
    ...(draft.key === '' ? {} : { openai_api_key: draft.key.trim() }),
  };
}

function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
