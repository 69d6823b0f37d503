// /upload/resumable: uploads that survive broken lines and restarts, by the tus protocol, version 1.0. Any request of an
// upload may reach any process of any machine.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.ts';
import type { HttpApp } from '../../platform/http/http-server.ts';
import { askTus, tusVersion } from './ask-tus.ts';
import { finishUpload } from './finish-upload.ts';
import { beginSchema, endSchema, resultSchema, sendSchema, type UploadParams } from './resumable-schemas.ts';
import { findUpload, requireUpload } from './resumable-rows.ts';
import { ownerOf, ResumableRequest, type ResumableParts } from './resumable-request.ts';
import { UnderWay } from './under-way.ts';
import { newUploadId } from './upload-keys.ts';
import { whileBusy } from './while-busy.ts';
import { Writers } from './writers.ts';

const offsetStream = 'application/offset+octet-stream';
const one = '/upload/resumable/:upload_id';
type Parts = Omit<ResumableParts, 'writers'>;
type OfUpload = FastifyRequest<{ Params: UploadParams }>;

/** In a scope of its own: here nobody but the route reads bodies, whatever they call themselves. */
export async function resumableRoute(app: HttpApp, parts: Parts): Promise<void> {
  await app.register(async (scope) => {
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    const underWay = new UnderWay();
    scope.addHook('onClose', () => underWay.ended());
    scope.addHook('onRequest', async (_request, reply) => void reply.header('Tus-Resumable', tusVersion));
    const all: ResumableParts = { ...parts, writers: new Writers() };
    addProtocol(scope as HttpApp, all, underWay);
    addResult(scope as HttpApp, all, underWay);
  });
}

function addProtocol(app: HttpApp, parts: ResumableParts, underWay: UnderWay): void {
  const follow = (answer: Promise<FastifyReply>): Promise<FastifyReply> => underWay.follow(answer);
  const onRequest = async (request: FastifyRequest): Promise<void> => checkHead(request);
  const continuing = { config: { scope: 'write', uploadTokens: 'continue' }, onRequest } as const;

  for (const url of ['/upload/resumable', one])
    app.options(url, { config: { scope: 'public' }, schema: { hide: true } }, (request, reply) =>
      answer(request, reply, new ResumableRequest(parts, request, '')),
    );
  app.post(
    '/upload/resumable',
    { config: { scope: 'write', uploadTokens: 'begin' }, onRequest, schema: beginSchema },
    (request, reply) => follow(answer(request, reply, new ResumableRequest(parts, request, newUploadId()))),
  );
  app.head<{ Params: UploadParams }>(one, { ...continuing, schema: { hide: true } }, (request, reply) =>
    follow(look(request, reply, parts)),
  );
  app.patch(one, { ...continuing, schema: sendSchema }, (request, reply) =>
    follow(goOn(request as OfUpload, reply, parts)),
  );
  app.delete(one, { ...continuing, schema: endSchema }, (request, reply) =>
    follow(goOn(request as OfUpload, reply, parts)),
  );
}

function addResult(app: HttpApp, parts: ResumableParts, underWay: UnderWay): void {
  const { database } = parts;
  app.get(
    one,
    { config: { scope: 'write', uploadTokens: 'continue' }, schema: resultSchema },
    async (request) => {
      const { caller, params } = request;
      await requireUpload(database, ownerOf(caller), params.upload_id);
      const finish = () => finishUpload(parts, caller.account, params.upload_id);
      return underWay.follow(whileBusy(request.raw, finish));
    },
  );
}

/** Where the upload stands. What has all its bytes but is no object yet, because a process died, becomes one first. */
async function look(request: OfUpload, reply: FastifyReply, parts: ResumableParts): Promise<FastifyReply> {
  const { caller, params } = request;
  await assertOwn(request, parts);
  await parts.writers.interrupt(params.upload_id);
  const upload = await requireUpload(parts.database, ownerOf(caller), params.upload_id);
  if (upload.state === 'open' && upload.received_bytes === upload.length_bytes)
    await whileBusy(request.raw, () => finishUpload(parts, caller.account, params.upload_id));
  return answer(request, reply, new ResumableRequest(parts, request, params.upload_id));
}

async function goOn(request: OfUpload, reply: FastifyReply, parts: ResumableParts): Promise<FastifyReply> {
  await assertOwn(request, parts);
  await parts.writers.interrupt(request.params.upload_id);
  return answer(request, reply, new ResumableRequest(parts, request, request.params.upload_id));
}

/** Before anything happens to an upload: nobody else's is touched. */
async function assertOwn({ caller, params }: OfUpload, { database }: ResumableParts): Promise<void> {
  if (!(await findUpload(database, ownerOf(caller), params.upload_id)))
    throw new AppError('upload_not_found');
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  handlers: ResumableRequest,
): Promise<FastifyReply> {
  const response = await askTus(request, handlers);
  for (const [name, value] of response.headers)
    if (!/^(access-control-|content-)/.test(name)) reply.header(name, value);
  reply.code(response.status);
  if (request.method === 'OPTIONS') return reply.send();
  const body = await handlers.bodyOf(reply);
  return response.status === 204 || request.method === 'HEAD' ? reply.send() : reply.send(body);
}

function checkHead({ method, headers }: FastifyRequest): void {
  if (headers['tus-resumable'] !== tusVersion)
    throw new AppError('tus_version', undefined, { headers: { 'Tus-Version': tusVersion } });
  if (method === 'PATCH' && headers['content-type'] !== offsetStream) throw new AppError('not_offset_stream');
}
