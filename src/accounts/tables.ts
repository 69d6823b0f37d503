// The rows of accounts and their keys. Limits left null follow the tier; times are milliseconds, flags 0 or 1.
import type { Generated, Selectable } from 'kysely';
import type { Migration } from '../platform/database/database.ts';

export type Tier = 'free' | 'pro' | 'enterprise';
export type StorageBackend = 'files' | 'storage';

export type AccountTable = {
  account_id: string;
  bucket_id: string;
  email: string;
  tier: Tier;
  enabled: number;
  /** Erased after this time; null while the account is to stay. */
  erase_at: number | null;
  storage_backend: StorageBackend;
  storage_limit_bytes: number | null;
  storage_used_bytes: number;
  /** Set when the 95% notice went out, cleared when use fell below 90%. */
  storage_warned: number;
  video_seconds_limit: number | null;
  video_seconds_used: number;
  rate_limit_per_minute: number | null;
  variants_per_minute: number | null;
  object_count: number;
  /** The number the next object of this account gets: the order of listings. */
  next_seq: number;
  ai_analysis: number;
  ai_provider: 'openai' | 'local';
  openai_api_key_sealed: string | null;
  /** Null follows the operator's settings; so do the three that follow. */
  openai_base_url: Generated<string | null>;
  openai_caption_model: Generated<string | null>;
  openai_embedding_model: Generated<string | null>;
  openai_embedding_dimensions: Generated<number | null>;
  /** Why pictures are not analysed at present, in a sentence for the owner. */
  ai_error: Generated<string | null>;
  transform_policy: 'open' | 'presets' | 'signed';
  signing_secret_sealed: string | null;
  /** JSON: name → tokens. */
  presets: string;
  webhook_url: string | null;
  /** Of earlier versions, which had one webhook at most; now each keeps its own, and this is null. */
  webhook_secret_sealed: string | null;
  created_at: number;
};
export type Account = Selectable<AccountTable>;

export type KeyTable = {
  key_id: string;
  account_id: string;
  name: string;
  /** Separated by spaces. */
  scopes: string;
  hash: string;
  /** The secret before a rotation, good until its grace ends. */
  previous_hash: string | null;
  previous_until: number | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
};
export type Key = Selectable<KeyTable>;

declare module '../platform/database/database.ts' {
  interface Tables {
    accounts: AccountTable;
    keys: KeyTable;
  }
}

export const accountMigrations: Migration[] = [
  {
    name: '0002-accounts',
    async up(tx) {
      await tx.schema
        .createTable('accounts')
        .addColumn('account_id', 'text', (column) => column.primaryKey())
        .addColumn('bucket_id', 'text', (column) => column.notNull().unique())
        .addColumn('email', 'text', (column) => column.notNull())
        .addColumn('tier', 'text', (column) => column.notNull())
        .addColumn('enabled', 'bigint', (column) => column.notNull())
        .addColumn('erase_at', 'bigint')
        .addColumn('storage_backend', 'text', (column) => column.notNull())
        .addColumn('storage_limit_bytes', 'bigint')
        .addColumn('storage_used_bytes', 'bigint', (column) => column.notNull())
        .addColumn('storage_warned', 'bigint', (column) => column.notNull())
        .addColumn('video_seconds_limit', 'bigint')
        .addColumn('video_seconds_used', 'bigint', (column) => column.notNull())
        .addColumn('rate_limit_per_minute', 'double precision')
        .addColumn('variants_per_minute', 'double precision')
        .addColumn('object_count', 'bigint', (column) => column.notNull())
        .addColumn('next_seq', 'bigint', (column) => column.notNull())
        .addColumn('ai_analysis', 'bigint', (column) => column.notNull())
        .addColumn('ai_provider', 'text', (column) => column.notNull())
        .addColumn('openai_api_key_sealed', 'text')
        .addColumn('transform_policy', 'text', (column) => column.notNull())
        .addColumn('signing_secret_sealed', 'text')
        .addColumn('presets', 'text', (column) => column.notNull())
        .addColumn('webhook_url', 'text')
        .addColumn('webhook_secret_sealed', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await tx.schema
        .createTable('keys')
        .addColumn('key_id', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) =>
          column.notNull().references('accounts.account_id').onDelete('cascade'),
        )
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('scopes', 'text', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('previous_hash', 'text')
        .addColumn('previous_until', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint')
        .addColumn('last_used_at', 'bigint')
        .execute();
      await tx.schema.createIndex('keys_account').on('keys').column('account_id').execute();
    },
  },
  {
    name: '0007-ai',
    async up(tx) {
      for (const name of ['openai_base_url', 'openai_caption_model', 'openai_embedding_model', 'ai_error'])
        await tx.schema.alterTable('accounts').addColumn(name, 'text').execute();
      await tx.schema.alterTable('accounts').addColumn('openai_embedding_dimensions', 'bigint').execute();
    },
  },
];
