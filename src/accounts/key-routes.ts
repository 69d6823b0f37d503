// /keys/: an account makes, lists, revokes and rotates its own keys.
import { Type } from 'typebox';
import type { Database } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import type { HttpApp } from '../platform/http/http-server.ts';
import { nullableText } from './account-record.ts';
import type { Caller } from './authenticate.ts';
import { createKey, type KeyManager, listKeys, revokeKey, rotateKey } from './keys.ts';
import { allScopes, splitScopes } from './scopes.ts';
import type { Key } from './tables.ts';
import { parseIsoTime, toIsoTime } from './units.ts';

export const maxGraceSeconds = 30 * 24 * 3600;

const Scopes = Type.Array(
  Type.Enum(['read', 'write', 'account', 'operator'], {
    'x-error': `Field "scopes" must be a list of ${allScopes.join(', ')}`,
  }),
  { minItems: 1, maxItems: 16, 'x-error': `Field "scopes" must be a list of ${allScopes.join(', ')}` },
);
export const CreateBody = Type.Object(
  {
    name: Type.String({
      pattern: '^[^\\u0000-\\u001f\\u007f]{1,100}$',
      'x-error': 'Field "name" must be a text of 1 to 100 characters without line breaks',
    }),
    scopes: Type.Optional(Scopes),
    expires_at: Type.Optional(
      nullableText({ 'x-error': 'Field "expires_at" must be an ISO 8601 time in the future' }),
    ),
  },
  { additionalProperties: false },
);
/** The whole body may be left out. */
const RotateBody = Type.Unsafe<{ grace_seconds?: number } | null>({
  type: ['object', 'null'],
  properties: {
    grace_seconds: {
      type: 'integer',
      minimum: 0,
      maximum: maxGraceSeconds,
      default: 0,
      description: 'How long the old secret stays good',
      'x-error': `Field "grace_seconds" must be a whole number from 0 to ${maxGraceSeconds}`,
    },
  },
  additionalProperties: false,
});
const KeyPath = Type.Object({ key_id: Type.String() });

const keyFields = {
  key_id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: nullableText(),
};
const MadeKey = Type.Object({
  ...keyFields,
  api_key: Type.String({ description: 'Shown this once' }),
});
const ListedKey = Type.Object({ ...keyFields, last_used_at: nullableText() });

const KeyList = Type.Object({ keys: Type.Array(ListedKey) });
const RevokedKey = Type.Object({ key_id: Type.String(), status: Type.String() });

const config = { scope: 'account' } as const;
const tags = ['Keys'];
const creating = { summary: 'Make a key', tags, body: CreateBody, response: { 200: MadeKey } };
const listing = { summary: 'List the keys, without their secrets', tags, response: { 200: KeyList } };
const revoking = { summary: 'Revoke a key at once', tags, params: KeyPath, response: { 200: RevokedKey } };
const rotating = {
  summary: 'Give a key a new secret',
  tags,
  params: KeyPath,
  body: RotateBody,
  response: { 200: MadeKey },
};

export function keyRoutes(app: HttpApp, { database }: { database: Database }): void {
  app.post('/keys/', { config, schema: creating }, async ({ body, caller }) => {
    const input = { name: body.name, scopes: body.scopes, expiresAt: futureTime(body.expires_at) };
    return madeKey(await createKey(database, caller.account, managerOf(caller), input));
  });

  app.get('/keys/', { config, schema: listing }, async ({ caller }) => ({
    keys: (await listKeys(database, caller.account.account_id)).map(listedKey),
  }));

  app.delete('/keys/:key_id', { config, schema: revoking }, async ({ params, caller }) => {
    await revokeKey(database, caller.account, managerOf(caller), params.key_id);
    return { key_id: params.key_id, status: 'success' };
  });

  app.post('/keys/:key_id/rotate', { config, schema: rotating }, async ({ params, body, caller }) => {
    const rotation = { keyId: params.key_id, graceSeconds: body?.grace_seconds ?? 0 };
    return madeKey(await rotateKey(database, caller.account, managerOf(caller), rotation));
  });
}

function managerOf(caller: Caller): KeyManager {
  return { asOperator: caller.scopes.includes('operator') };
}

function futureTime(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const ms = parseIsoTime(text);
  if (ms === null || ms <= Date.now())
    throw new AppError('bad_request', 'Field "expires_at" must be an ISO 8601 time in the future');
  return ms;
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIsoTime(ms);
}

function keyRecord(key: Key) {
  return {
    key_id: key.key_id,
    name: key.name,
    scopes: splitScopes(key.scopes),
    created_at: toIsoTime(key.created_at),
    expires_at: isoOrNull(key.expires_at),
  };
}

export function listedKey(key: Key) {
  return { ...keyRecord(key), last_used_at: isoOrNull(key.last_used_at) };
}

export function madeKey({ key, apiKey }: { key: Key; apiKey: string }) {
  return { ...keyRecord(key), api_key: apiKey };
}
