// The rows of stored objects, their facets for listing, answers kept for repeats, variants kept for good, and uploads
// that are under way or allowed.
import { type Generated, type Selectable, sql } from 'kysely';
import type { StorageBackend } from '../accounts/tables.ts';
import type { Migration } from '../platform/database/database.ts';

/** Pictures are ready when they are stored. */
export type ObjectStatus = 'queued' | 'processing' | 'ready' | 'failed';

export type ObjectTable = {
  /** Names the bytes: new for every upload, so that a reused id never shows old bytes. */
  generation: string;
  account_id: string;
  bucket_id: string;
  object_id: string;
  /** 1 when the uploader chose the id: then it may be used again, and caches must ask again. */
  custom_id: number;
  /** Rises with every upload of the account: the order of listings. */
  seq: number;
  backend: StorageBackend;
  kind: 'image' | 'video';
  type: string;
  size_bytes: number;
  sha256: string;
  width: number;
  height: number;
  frames: number;
  alpha: number;
  folder: string | null;
  /** JSON array of strings. */
  tags: string;
  original_file_name: string;
  status: ObjectStatus;
  caption: string | null;
  /** Which model wrote it. */
  caption_model: Generated<string | null>;
  /** Base 64, and `#rrggbb`; null until the picture was looked at, empty when no decoder takes it. */
  thumbhash: Generated<string | null>;
  dominant_color: Generated<string | null>;
  /** Of films alone, as are the three that follow. */
  duration_ms: Generated<number | null>;
  /** 0 to 100. */
  progress: Generated<number | null>;
  /** Why it failed, in a sentence for its owner. */
  error: Generated<string | null>;
  /** JSON: what was found in the file, and how far its streams are. */
  film: Generated<string | null>;
  created_at: number;
};
export type ObjectRow = Selectable<ObjectTable>;

export type FacetTable = { account_id: string; facet: string; count: number };
export type FacetBlockTable = {
  account_id: string;
  facet: string;
  block: number;
  count: number;
  members: Uint8Array;
};
export type IdempotencyTable = { account_id: string; key: string; answer: string; created_at: number };
export type KeptVariantTable = { generation: string; name: string; file: string; created_at: number };

/** `ended` is what was terminated or has expired: its row stays for a day, so that late bytes find no upload. */
export type ResumableState = 'open' | 'done' | 'refused' | 'ended';
export type ResumableUploadTable = {
  upload_id: string;
  account_id: string;
  bucket_id: string;
  /** Where its parts lie. */
  backend: StorageBackend;
  length_bytes: number;
  received_bytes: number;
  parts: number;
  /** 0 when they were removed. */
  holds_parts: number;
  /** JSON: as the client gave it, and what was read from it. */
  metadata: string;
  fields: string;
  /** Of the one-time token it was begun with. */
  token_hash: string | null;
  state: ResumableState;
  /** JSON: the object when it is done, code and sentence when it was refused. */
  answer: string | null;
  /** Who makes the object of it at present. */
  leased_by: string | null;
  leased_until: number;
  created_at: number;
  expires_at: number;
};
export type ResumableUpload = Selectable<ResumableUploadTable>;
export type ResumablePartTable = { upload_id: string; start_byte: number; size_bytes: number; name: string };

export type UploadTokenTable = {
  token_hash: string;
  account_id: string;
  /** Dies with it. */
  key_id: string;
  /** Null leaves it to the uploader; so do the four that follow. */
  folder: string | null;
  /** JSON array of strings. */
  tags: string | null;
  object_id: string | null;
  max_bytes: number | null;
  kind: ObjectTable['kind'] | null;
  spent_at: number | null;
  created_at: number;
  expires_at: number;
};
export type UploadToken = Selectable<UploadTokenTable>;

declare module '../platform/database/database.ts' {
  interface Tables {
    resumable_uploads: ResumableUploadTable;
    resumable_parts: ResumablePartTable;
    upload_tokens: UploadTokenTable;
    objects: ObjectTable;
    facets: FacetTable;
    facet_blocks: FacetBlockTable;
    idempotency: IdempotencyTable;
    kept_variants: KeptVariantTable;
  }
}

export const objectMigrations: Migration[] = [
  {
    name: '0003-objects',
    async up(tx) {
      await tx.schema
        .createTable('objects')
        .addColumn('generation', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
        .addColumn('bucket_id', 'text', (column) => column.notNull())
        .addColumn('object_id', 'text', (column) => column.notNull())
        .addColumn('custom_id', 'bigint', (column) => column.notNull())
        .addColumn('seq', 'bigint', (column) => column.notNull())
        .addColumn('backend', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('type', 'text', (column) => column.notNull())
        .addColumn('size_bytes', 'bigint', (column) => column.notNull())
        .addColumn('sha256', 'text', (column) => column.notNull())
        .addColumn('width', 'bigint', (column) => column.notNull())
        .addColumn('height', 'bigint', (column) => column.notNull())
        .addColumn('frames', 'bigint', (column) => column.notNull())
        .addColumn('alpha', 'bigint', (column) => column.notNull())
        .addColumn('folder', 'text')
        .addColumn('tags', 'text', (column) => column.notNull())
        .addColumn('original_file_name', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('caption', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addUniqueConstraint('objects_bucket_object', ['bucket_id', 'object_id'])
        .addUniqueConstraint('objects_account_seq', ['account_id', 'seq'])
        .execute();
      await tx.schema
        .createTable('facets')
        .addColumn('account_id', 'text', (column) => column.notNull())
        .addColumn('facet', 'text', (column) => column.notNull())
        .addColumn('count', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('facets_key', ['account_id', 'facet'])
        .execute();
      await tx.schema
        .createTable('facet_blocks')
        .addColumn('account_id', 'text', (column) => column.notNull())
        .addColumn('facet', 'text', (column) => column.notNull())
        .addColumn('block', 'bigint', (column) => column.notNull())
        .addColumn('count', 'bigint', (column) => column.notNull())
        .addColumn('members', sql`bytea`, (column) => column.notNull())
        .addPrimaryKeyConstraint('facet_blocks_key', ['account_id', 'facet', 'block'])
        .execute();
      await tx.schema
        .createTable('idempotency')
        .addColumn('account_id', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('answer', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('idempotency_key', ['account_id', 'key'])
        .execute();
      await tx.schema.createIndex('idempotency_age').on('idempotency').column('created_at').execute();
      await tx.schema
        .createTable('kept_variants')
        .addColumn('generation', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('kept_variants_key', ['generation', 'name'])
        .execute();
    },
  },
  {
    name: '0004-looks',
    async up(tx) {
      await tx.schema.alterTable('objects').addColumn('thumbhash', 'text').execute();
      await tx.schema.alterTable('objects').addColumn('dominant_color', 'text').execute();
      await tx.schema
        .alterTable('kept_variants')
        .addColumn('file', 'text', (column) => column.notNull().defaultTo(''))
        .execute();
    },
  },
  {
    name: '0006-films',
    async up(tx) {
      await tx.schema.alterTable('objects').addColumn('duration_ms', 'bigint').execute();
      await tx.schema.alterTable('objects').addColumn('progress', 'bigint').execute();
      await tx.schema.alterTable('objects').addColumn('error', 'text').execute();
      await tx.schema.alterTable('objects').addColumn('film', 'text').execute();
    },
  },
  {
    name: '0008-caption-models',
    async up(tx) {
      await tx.schema.alterTable('objects').addColumn('caption_model', 'text').execute();
    },
  },
  {
    name: '0011-resumable-uploads',
    async up(tx) {
      await tx.schema
        .createTable('resumable_uploads')
        .addColumn('upload_id', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) => column.notNull())
        .addColumn('bucket_id', 'text', (column) => column.notNull())
        .addColumn('backend', 'text', (column) => column.notNull())
        .addColumn('length_bytes', 'bigint', (column) => column.notNull())
        .addColumn('received_bytes', 'bigint', (column) => column.notNull())
        .addColumn('parts', 'bigint', (column) => column.notNull())
        .addColumn('holds_parts', 'bigint', (column) => column.notNull())
        .addColumn('metadata', 'text', (column) => column.notNull())
        .addColumn('fields', 'text', (column) => column.notNull())
        .addColumn('token_hash', 'text')
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('answer', 'text')
        .addColumn('leased_by', 'text')
        .addColumn('leased_until', 'bigint', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .execute();
      for (const columns of [['account_id', 'state'], ['expires_at'], ['token_hash']] as const)
        await tx.schema
          .createIndex(`resumable_uploads_${columns[0]}`)
          .on('resumable_uploads')
          .columns([...columns])
          .execute();
      await tx.schema
        .createTable('resumable_parts')
        .addColumn('upload_id', 'text', (column) => column.notNull())
        .addColumn('start_byte', 'bigint', (column) => column.notNull())
        .addColumn('size_bytes', 'bigint', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('resumable_parts_key', ['upload_id', 'start_byte'])
        .execute();
    },
  },
  {
    name: '0012-upload-tokens',
    async up(tx) {
      await tx.schema
        .createTable('upload_tokens')
        .addColumn('token_hash', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) => column.notNull())
        .addColumn('key_id', 'text', (column) => column.notNull())
        .addColumn('folder', 'text')
        .addColumn('tags', 'text')
        .addColumn('object_id', 'text')
        .addColumn('max_bytes', 'bigint')
        .addColumn('kind', 'text')
        .addColumn('spent_at', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .execute();
      await tx.schema.createIndex('upload_tokens_age').on('upload_tokens').column('expires_at').execute();
    },
  },
];
