// /user/: an account looks at itself and changes its settings.
import { type Static, Type } from 'typebox';
import type { HttpApp } from '../platform/http/http-server.ts';
import {
  AccountRecord,
  accountRecord,
  AiProvider,
  Email,
  nullableText,
  StorageBackend,
  TransformPolicy,
} from './account-record.ts';
import { changeSettings, type SettingsParts } from './change-settings.ts';

const Presets = Type.Unsafe<Record<string, string> | null>({
  type: ['object', 'null'],
  description: 'Name → tokens; replaces all presets, null clears them',
  maxProperties: 100,
  propertyNames: {
    pattern: '^[a-z0-9][a-z0-9._-]{0,31}$',
    'x-error':
      'A preset’s name must be 1 to 32 small letters, digits, dots, hyphens and underscores, and begin with a letter or digit',
  },
  additionalProperties: {
    type: 'string',
    minLength: 1,
    maxLength: 512,
    'x-error': 'A preset must be a text of 1 to 512 characters: tokens joined by _',
  },
  'x-error': 'Field "presets" must be an object of at most 100 names and their tokens, or null',
});

const modelName = (field: string) =>
  nullableText({
    pattern: '^[\\x21-\\x7e]{1,200}$',
    'x-error': `Field "${field}" must be the name of a model: 1 to 200 visible ASCII characters, or null`,
  });

const PatchBody = Type.Object(
  {
    email: Type.Optional(Email),
    storage_backend: Type.Optional(StorageBackend),
    ai_analysis: Type.Optional(Type.Boolean({ 'x-error': 'Field "ai_analysis" must be true or false' })),
    ai_provider: Type.Optional(AiProvider),
    openai_api_key: Type.Optional(
      nullableText({
        pattern: '^[\\x21-\\x7e]{1,500}$',
        'x-error': 'Field "openai_api_key" must be 1 to 500 visible ASCII characters, or null',
      }),
    ),
    openai_base_url: Type.Optional(
      nullableText({
        pattern: '^[^?#]{1,2048}$',
        'x-error':
          'Field "openai_base_url" must be an address of at most 2048 characters without query or fragment, or null',
      }),
    ),
    openai_caption_model: Type.Optional(modelName('openai_caption_model')),
    openai_embedding_model: Type.Optional(modelName('openai_embedding_model')),
    openai_embedding_dimensions: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 2,
        maximum: 4096,
        'x-error': 'Field "openai_embedding_dimensions" must be a whole number from 2 to 4096, or null',
      }),
    ),
    transform_policy: Type.Optional(TransformPolicy),
    presets: Type.Optional(Presets),
    webhook_url: Type.Optional(
      nullableText({
        minLength: 1,
        maxLength: 2048,
        'x-error': 'Field "webhook_url" must be an address of at most 2048 characters, or null',
      }),
    ),
  },
  { additionalProperties: false },
);

const ChangedRecord = Type.Object({
  ...AccountRecord.properties,
  webhook_secret: Type.Optional(Type.String({ description: 'Only when it was just made' })),
  signing_secret: Type.Optional(Type.String({ description: 'Only when it was just made' })),
});

export function userRoutes(app: HttpApp, parts: SettingsParts): void {
  const tags = ['Account'];

  app.get(
    '/user/',
    {
      config: { scope: 'read' },
      schema: { summary: 'The account of this key', tags, response: { 200: AccountRecord } },
    },
    async ({ caller }) => accountRecord(caller.account),
  );

  app.patch(
    '/user/',
    {
      config: { scope: 'account' },
      schema: { summary: 'Change settings', tags, body: PatchBody, response: { 200: ChangedRecord } },
    },
    async ({ body, caller }): Promise<Static<typeof ChangedRecord>> => {
      const changed = await changeSettings(parts, caller.account.account_id, body);
      return {
        ...accountRecord(changed.account),
        ...(changed.webhookSecret && { webhook_secret: changed.webhookSecret }),
        ...(changed.signingSecret && { signing_secret: changed.signingSecret }),
      };
    },
  );
}
