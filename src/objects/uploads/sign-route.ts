// POST /upload/sign: a one-time token with which a browser, or anybody else without a key, makes one upload.
import { Type } from 'typebox';
import { toIsoTime } from '../../accounts/units.ts';
import type { Database } from '../../platform/database/database.ts';
import type { HttpApp } from '../../platform/http/http-server.ts';
import { parseFolder, parseObjectId } from '../object-fields.ts';
import { readTags, Tags } from './given-tags.ts';
import { createToken } from './upload-token.ts';

const defaultSeconds = 900;
const maxSeconds = 86_400;

const Terms = Type.Object(
  {
    folder: Type.Optional(Type.String({ 'x-error': 'Field "folder" must be a string' })),
    tags: Type.Optional(Tags),
    object: Type.Optional(Type.String({ 'x-error': 'Field "object" must be a string' })),
    max_bytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        'x-error': 'Field "max_bytes" must be a whole number of at least 1',
      }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxSeconds,
        default: defaultSeconds,
        description: 'Seconds in which the upload must begin',
        'x-error': `Field "expires_in" must be a whole number of seconds from 1 to ${maxSeconds}`,
      }),
    ),
    type: Type.Optional(Type.Enum(['image', 'video'], { 'x-error': 'Field "type" must be image or video' })),
  },
  { additionalProperties: false },
);
const Signed = Type.Object({
  token: Type.String({ description: 'Goes where a key would: `Authorization: Bearer …`' }),
  upload_url: Type.String({ description: 'For multipart form data' }),
  resumable_url: Type.String({ description: 'For tus clients' }),
  expires_at: Type.String({ format: 'date-time' }),
});

export function signRoute(
  app: HttpApp,
  { database, baseUrl }: { database: Database; baseUrl: string },
): void {
  app.post(
    '/upload/sign',
    {
      config: { scope: 'write' },
      schema: {
        summary: 'Make a token for one upload',
        description:
          'For uploads straight from a browser, from any origin. What is given here stands; the rest is left to the uploader. It dies with the key that made it.',
        tags: ['Objects'],
        body: Terms,
        response: { 200: Signed },
      },
    },
    async ({ body, caller }) => {
      const tags = body.tags === undefined ? null : readTags(body.tags);
      const { token, expiresAt } = await createToken(database, {
        account_id: caller.account.account_id,
        key_id: caller.keyId,
        folder: parseFolder(body.folder),
        tags: tags && JSON.stringify(tags),
        object_id: parseObjectId(body.object),
        max_bytes: body.max_bytes ?? null,
        kind: body.type ?? null,
        lifeMs: (body.expires_in ?? defaultSeconds) * 1000,
      });
      return {
        token,
        upload_url: `${baseUrl}/upload/`,
        resumable_url: `${baseUrl}/upload/resumable`,
        expires_at: toIsoTime(expiresAt) as string,
      };
    },
  );
}
