// POST /upload/url: a file fetched from an address, through the same pipeline as one that was sent.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { limitsOf } from '../../accounts/limits.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Audience } from '../../platform/egress/call-out.ts';
import { assertPublicAddress } from '../../platform/egress/public-address.ts';
import { AppError, retryAfter } from '../../platform/errors.ts';
import { BodyRateGuard, type BodyRateOptions } from '../../platform/http/body-rate.ts';
import type { HttpApp } from '../../platform/http/http-server.ts';
import { parseIdempotencyKey } from '../idempotency.ts';
import { newOriginal } from './new-original.ts';
import { cleanFileName, parseFolder, parseObjectId } from '../object-fields.ts';
import { StoredObject } from '../object-json.ts';
import { receiveFile } from './receive-file.ts';
import type { StoredAnswer, UploadStore } from './store-upload.ts';
import type { Stores } from '../stores.ts';
import { fetchSource } from './fetch-source.ts';
import { readTags, Tags } from './given-tags.ts';
import { UnderWay } from './under-way.ts';

/** Of one account in one process: a slow source holds a connection for as long as it likes. */
const fetchesAtOnce = 20;

const Source = Type.Object(
  {
    url: Type.String({ 'x-error': 'Field "url" must be the address of the file' }),
    tags: Type.Optional(Tags),
    folder: Type.Optional(Type.String({ 'x-error': 'Field "folder" must be a string' })),
    object: Type.Optional(Type.String({ 'x-error': 'Field "object" must be a string' })),
  },
  { additionalProperties: false },
);

type UrlParts = {
  database: Database;
  stores: Stores;
  uploads: UploadStore;
  source: Extract<Audience, { audience: 'account' }>;
  bodyRate?: BodyRateOptions | undefined;
};
type Running = { parts: UrlParts; guard: BodyRateGuard; busy: Map<string, number> };
type SourceRequest = FastifyRequest<{ Body: Static<typeof Source> }>;

export function urlRoute(app: HttpApp, parts: UrlParts): void {
  const underWay = new UnderWay();
  const running: Running = { parts, guard: new BodyRateGuard(parts.bodyRate), busy: new Map() };
  app.addHook('onClose', async () => {
    await underWay.ended();
    running.guard.close();
  });
  app.post(
    '/upload/url',
    {
      config: { scope: 'write' },
      schema: {
        summary: 'Upload an image or video from an address',
        description:
          'The file is fetched from a public http or https address; up to five redirects are followed. What the other server does wrong is 422 `source_unavailable`.',
        tags: ['Objects'],
        body: Source,
        headers: Type.Object({
          'idempotency-key': Type.Optional(
            Type.String({ description: 'A repeat within 24 hours returns the first answer' }),
          ),
        }),
        response: { 200: StoredObject as TSchema },
      },
    },
    (request, reply) => underWay.follow(uploadFrom(request as SourceRequest, reply, running)),
  );
}

async function uploadFrom(
  request: SourceRequest,
  reply: FastifyReply,
  running: Running,
): Promise<StoredAnswer> {
  const { account } = request.caller;
  const idempotencyKey = parseIdempotencyKey(request.headers['idempotency-key']);
  const first = idempotencyKey && (await running.parts.uploads.firstAnswer(account, idempotencyKey));
  if (first) return first;
  const { url, tags, folder, object } = request.body;
  const fields = { tags: readTags(tags), folder: parseFolder(folder), objectId: parseObjectId(object) };
  assertPublicAddress(url, running.parts.source);
  return inTurn(running.busy, account.account_id, async () => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const { fileName, file } = await receiveFrom(request, running, gone.signal);
    const all = { ...fields, fileName: cleanFileName(fileName) };
    return running.parts.uploads.store({ account, file, fields: all, idempotencyKey });
  });
}

async function receiveFrom(
  { body, caller: { account } }: SourceRequest,
  running: Running,
  signal: AbortSignal,
) {
  const { parts, guard } = running;
  const original = await newOriginal(parts.stores, account);
  const source = { ...parts.source, url: body.url, signal, guard };
  const { fileName, bytes } = await fetchSource(source).catch(async (error: unknown) => {
    await original.file.discard();
    throw error;
  });
  return { fileName, file: await receiveFile(bytes, original, limitsOf(account)) };
}

async function inTurn<T>(busy: Map<string, number>, accountId: string, work: () => Promise<T>): Promise<T> {
  const others = busy.get(accountId) ?? 0;
  if (others >= fetchesAtOnce)
    throw new AppError('rate_limited', `At most ${fetchesAtOnce} files are fetched at once`, retryAfter(5));
  busy.set(accountId, others + 1);
  try {
    return await work();
  } finally {
    const left = (busy.get(accountId) as number) - 1;
    if (left === 0) busy.delete(accountId);
    else busy.set(accountId, left);
  }
}
