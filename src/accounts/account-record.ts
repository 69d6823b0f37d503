// The account as the API shows it, and the schemas of its parts: no secret is ever among its fields.
import { type Static, Type } from 'typebox';
import { limitsOf } from './limits.ts';
import type { Account } from './tables.ts';
import { toIsoTime, toKilobytes, toMinutes } from './units.ts';

type Extras = Record<string, unknown>;
export const nullableText = (extras: Extras = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...extras });
export const nullableNumber = (extras: Extras = {}) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], ...extras });

export const Tier = Type.Enum(['free', 'pro', 'enterprise'], {
  'x-error': 'Field "tier" must be free, pro or enterprise',
});
export const StorageBackend = Type.Enum(['files', 'storage'], {
  'x-error': 'Field "storage_backend" must be files or storage',
});
export const AiProvider = Type.Enum(['openai', 'local'], {
  'x-error': 'Field "ai_provider" must be openai or local',
});
export const TransformPolicy = Type.Enum(['open', 'presets', 'signed'], {
  'x-error': 'Field "transform_policy" must be open, presets or signed',
});
/** No character that would make a mail header mean more than one address. */
export const Email = Type.String({
  maxLength: 254,
  pattern:
    '^[^\\s@<>(),;:"\\\\\\[\\]\\u0000-\\u001f\\u007f]+@[^\\s@<>(),;:"\\\\\\[\\]\\u0000-\\u001f\\u007f]+$',
  'x-error': 'Field "email" must be an e-mail address',
});

export const AccountRecord = Type.Object({
  account_id: Type.String(),
  email: Type.String(),
  tier: Tier,
  bucket_id: Type.String(),
  storage_backend: StorageBackend,
  storage_used: Type.Number({ description: 'Kilobytes' }),
  storage_limit: nullableNumber({ description: 'Kilobytes; null is no limit' }),
  video_minutes_used: Type.Number(),
  video_minutes_limit: nullableNumber({ description: 'Null is no limit' }),
  object_count: Type.Integer(),
  rate_limit_per_minute: nullableNumber({ description: 'API requests; null is no limit' }),
  ai_analysis: Type.Boolean(),
  ai_provider: AiProvider,
  ai_key_configured: Type.Boolean(),
  ai_error: nullableText({ description: 'Why pictures are not analysed at present' }),
  openai_base_url: nullableText({ description: 'Null follows the server’s setting, as in the next three' }),
  openai_caption_model: nullableText(),
  openai_embedding_model: nullableText(),
  openai_embedding_dimensions: nullableNumber(),
  transform_policy: TransformPolicy,
  presets: Type.Record(Type.String(), Type.String(), { description: 'Name → tokens' }),
  webhook_url: nullableText(),
  created_at: Type.String({ format: 'date-time' }),
});
export type AccountRecord = Static<typeof AccountRecord>;

/** What only operators need to see is added to what the account itself sees. */
export const OperatorAccountRecord = Type.Object({
  ...AccountRecord.properties,
  variants_per_minute: nullableNumber({ description: 'New variants; null is no limit' }),
  enabled: Type.Boolean(),
  erase_at: nullableText({ description: 'When a deleted account is erased for good' }),
});

export function accountRecord(account: Account): AccountRecord {
  const limits = limitsOf(account);
  return {
    account_id: account.account_id,
    email: account.email,
    tier: account.tier,
    bucket_id: account.bucket_id,
    storage_backend: account.storage_backend,
    storage_used: toKilobytes(account.storage_used_bytes),
    storage_limit: limits.storageBytes === null ? null : toKilobytes(limits.storageBytes),
    video_minutes_used: toMinutes(account.video_seconds_used),
    video_minutes_limit: limits.videoSeconds === null ? null : toMinutes(limits.videoSeconds),
    object_count: account.object_count,
    rate_limit_per_minute: limits.requestsPerMinute,
    ai_analysis: account.ai_analysis === 1,
    ai_provider: account.ai_provider,
    ai_key_configured: account.openai_api_key_sealed !== null,
    ai_error: account.ai_error,
    openai_base_url: account.openai_base_url,
    openai_caption_model: account.openai_caption_model,
    openai_embedding_model: account.openai_embedding_model,
    openai_embedding_dimensions: account.openai_embedding_dimensions,
    transform_policy: account.transform_policy,
    presets: JSON.parse(account.presets) as Record<string, string>,
    webhook_url: account.webhook_url,
    created_at: toIsoTime(account.created_at),
  };
}

export function operatorAccountRecord(account: Account): Static<typeof OperatorAccountRecord> {
  return {
    ...accountRecord(account),
    variants_per_minute: limitsOf(account).variantsPerMinute,
    enabled: account.enabled === 1,
    erase_at: account.erase_at === null ? null : toIsoTime(account.erase_at),
  };
}
