// A new account's row, with the default of every setting.
import { randomBytes } from 'node:crypto';
import type { Account } from './tables.ts';

/** Limits left out or null follow the tier. */
export type AccountTerms = Partial<
  Pick<
    Account,
    'tier' | 'storage_limit_bytes' | 'video_seconds_limit' | 'rate_limit_per_minute' | 'variants_per_minute'
  >
>;

export function newAccount(input: { email: string } & AccountTerms): Account {
  return {
    account_id: `acc_${randomBytes(8).toString('hex')}`,
    bucket_id: randomBytes(8).toString('hex'),
    email: input.email,
    tier: input.tier ?? 'free',
    enabled: 1,
    erase_at: null,
    storage_backend: 'files',
    storage_limit_bytes: input.storage_limit_bytes ?? null,
    storage_used_bytes: 0,
    storage_warned: 0,
    video_seconds_limit: input.video_seconds_limit ?? null,
    video_seconds_used: 0,
    rate_limit_per_minute: input.rate_limit_per_minute ?? null,
    variants_per_minute: input.variants_per_minute ?? null,
    object_count: 0,
    next_seq: 1,
    ai_analysis: 0,
    ai_provider: 'openai',
    openai_api_key_sealed: null,
    openai_base_url: null,
    openai_caption_model: null,
    openai_embedding_model: null,
    openai_embedding_dimensions: null,
    ai_error: null,
    transform_policy: 'open',
    signing_secret_sealed: null,
    presets: '{}',
    webhook_url: null,
    webhook_secret_sealed: null,
    created_at: Date.now(),
  };
}
