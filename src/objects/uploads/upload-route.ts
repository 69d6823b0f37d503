// POST /upload/: one image or film, streamed to its place; the answer means it is safe.
import type { FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { underHeldKey } from '../../accounts/hold-key.ts';
import { limitsOf } from '../../accounts/limits.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Statement } from '../../platform/database/statement.ts';
import { AppError } from '../../platform/errors.ts';
import type { HttpApp } from '../../platform/http/http-server.ts';
import { parseIdempotencyKey } from '../idempotency.ts';
import { newOriginal } from './new-original.ts';
import { StoredObject } from '../object-json.ts';
import { readUpload } from './read-upload.ts';
import { FileReceiver } from './receive-file.ts';
import type { StoredAnswer, UploadStore } from './store-upload.ts';
import type { Stores } from '../stores.ts';
import { UnderWay } from './under-way.ts';
import { assertKindUnder, fieldsUnder, limitsUnder, spendToken, termsOf } from './upload-token.ts';

const maxBoundaryCharacters = 200;

const UploadParts = Type.Object({
  file: Type.String({
    format: 'binary',
    description: 'JPEG, PNG, GIF, WebP or AVIF; MP4, MOV, AVI, MKV, WebM, MPEG and others',
  }),
  tags: Type.Optional(Type.String({ description: 'Comma-separated' })),
  folder: Type.Optional(Type.String({ description: 'May contain slashes' })),
  object: Type.Optional(Type.String({ description: 'Custom object id; 12 random hex digits otherwise' })),
});

type Parts = { database: Database; stores: Stores; uploads: UploadStore };

/** In a scope of its own: no other route takes multipart bodies, and here nobody but the route reads them. */
export async function uploadRoute(app: HttpApp, parts: Parts): Promise<void> {
  await app.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
    addUpload(scope as HttpApp, parts);
  });
}

function addUpload(app: HttpApp, parts: Parts): void {
  const underWay = new UnderWay();
  app.addHook('onClose', () => underWay.ended());
  app.post(
    '/upload/',
    {
      config: { scope: 'write', uploadTokens: 'begin', holdsKey: true },
      onRequest: (request, _reply, done) => {
        boundaryOf(request);
        done();
      },
      schema: {
        summary: 'Upload an image or video',
        description:
          'Multipart form data with the part `file` and optionally `tags`, `folder` and `object`, in any order.',
        tags: ['Objects'],
        multipart: UploadParts,
        headers: Type.Object({
          'idempotency-key': Type.Optional(
            Type.String({ description: 'A repeat within 24 hours returns the first answer' }),
          ),
        }),
        response: { 200: StoredObject as TSchema },
      },
    },
    (request) => underWay.follow(underHeldKey(request.caller.held, () => upload(request, parts))),
  );
}

async function upload(request: FastifyRequest, parts: Parts): Promise<StoredAnswer> {
  const { account, held } = request.caller;
  const idempotencyKey = ownKey(request);
  const first = idempotencyKey && (await parts.uploads.firstAnswer(account, idempotencyKey));
  if (first) {
    await held?.judgeAgain();
    return first;
  }
  const token = await termsOf(parts.database, request.caller);
  const limits = limitsUnder(token, limitsOf(account));
  const openFile = async (): Promise<FileReceiver> =>
    new FileReceiver(await newOriginal(parts.stores, account), limits);
  // The body is not ours to destroy: who is refused in the middle of it must still be able to read why.
  const body = request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  const received = await readUpload(body, boundaryOf(request), openFile);
  const { file } = received;
  try {
    assertKindUnder(token, file.content.kind);
    const fields = fieldsUnder(token, received.fields);
    const guards = (): Statement[] => spendToken(parts.database, token);
    return await parts.uploads.store({ account, file, fields, idempotencyKey, guards, hold: held?.hold });
  } finally {
    await file.original.file.discard();
  }
}

/** What holders of a token call their requests must not lead to the answers of others. */
function ownKey({ headers, caller }: FastifyRequest): string | undefined {
  const key = parseIdempotencyKey(headers['idempotency-key']);
  return key !== undefined && caller.tokenHash !== undefined ? `${caller.tokenHash} ${key}` : key;
}

function boundaryOf({ headers }: FastifyRequest): string {
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) throw new AppError('not_multipart');
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
  const boundary = quoted ?? bare;
  if (!boundary || boundary.length > maxBoundaryCharacters) {
    throw new AppError('invalid_multipart', 'The multipart body needs a boundary of at most 200 characters');
  }
  return boundary;
}
