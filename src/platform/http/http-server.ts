// The HTTP server: Fastify with our error bodies, limits and manners. It knows no route and nothing of the product.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
} from 'fastify';
import { AppError, isExpected } from '../errors.ts';
import type { Log } from '../log.ts';
import { AllowedMethods } from './allowed-methods.ts';
import { BodyRateGuard, type BodyRateOptions } from './body-rate.ts';
import { putInFront } from './connection-front.ts';
import { allowOrigins } from './cors.ts';
import { answerOnSocket, errorHeaders, sendError, toAppError } from './error-replies.ts';
import type { FrontOptions } from './front-connection.ts';
import { IdleConnections } from './idle-connections.ts';
import { isLeaving } from './leaving.ts';
import { newRequestId } from './request-id.ts';
import { compileSchema } from './validation.ts';

/** What a key must be allowed to do for a route; `public` needs no key. Every route says one. */
export type Scope = 'read' | 'write' | 'account' | 'operator';

declare module 'fastify' {
  interface FastifyContextConfig {
    scope?: Scope | 'public';
  }
}

export type HttpApp = FastifyInstance<
  Server,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type HttpServerOptions = {
  log: Log;
  corsOrigins?: readonly string[];
  bodyRate?: BodyRateOptions;
  /** Answers requests around the framework; false hands them on. */
  inFront?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Answers that need no request object: they are written before Node's parser sees a connection. */
  prepared?: Pick<FrontOptions, 'answerTo' | 'answered'>;
};

const maxJsonBytes = 1024 * 1024;
const idleSocketMs = 60_000;
const headersMs = 10_000;
/** Often: thousands that came together are sent away in small groups, and nobody else waits for it. */
const lateHeadsEveryMs = 100;
const keepAliveMs = 30_000;
/** How long a client may go on sending a body that was already answered with an error. */
const drainMs = 10_000;

export function createHttpServer(options: HttpServerOptions): HttpApp {
  const answer: Answer = (error, request, reply) => answerWith(options.log, error, request, reply);
  const app: HttpApp = Fastify({
    // A logger of its own for every request costs more than the line it writes.
    logger: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    bodyLimit: maxJsonBytes,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 20_000 },
    rewriteUrl: (request) => withoutVersion(request.url ?? '/'),
    frameworkErrors: (error, request, reply) =>
      void answer(error, request as FastifyRequest, reply as unknown as FastifyReply),
    clientErrorHandler: (error, socket) => answerOnSocket(error, socket as Socket),
    serverFactory: (handler) => listeningServer(handler, options),
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(compileSchema);
  acceptJsonOnly(app);
  refuseWhileClosing(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    done();
  });
  allowOrigins(app, options.corsOrigins ?? []);
  judgeBodies(app, options.bodyRate);
  app.addHook('onResponse', (request, reply, done) => {
    const path = request.url.split('?', 1)[0];
    options.log.info(
      {
        reqId: request.id,
        method: request.method,
        path,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });

  const allowed = new AllowedMethods();
  app.addHook('onRoute', (route) => {
    if (!route.config?.scope)
      throw new Error(`${String(route.method)} ${route.url} does not say which scope it needs`);
    allowed.add(route.method, route.url);
  });
  app.setErrorHandler(answer);
  app.setNotFoundHandler((request, reply) => {
    const methods = allowed.of(request.url.split('?', 1)[0] as string);
    if (methods.length === 0) return answer(new AppError('not_found'), request, reply);
    const headers = { Allow: methods.join(', ') };
    return answer(
      new AppError('method_not_allowed', `This address accepts ${headers.Allow}`, { headers }),
      request,
      reply,
    );
  });
  return app;
}

/** Version 1 of the API stands at both addresses. */
function withoutVersion(url: string): string {
  return /^\/v1(?=\/|\?|$)/.test(url) ? url.slice(3).replace(/^(?!\/)/, '/') : url;
}

function listeningServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  { inFront, prepared }: HttpServerOptions,
): Server {
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: 0,
      connectionsCheckingInterval: lateHeadsEveryMs,
      keepAliveTimeout: keepAliveMs,
      // Required all the same, but refused with our own error body.
      requireHostHeader: false,
    },
    (request, response) => {
      if (request.headers.host === undefined && request.httpVersion === '1.1')
        return refuse(response, new AppError('bad_request', 'The request needs a Host header'));
      // While leaving, no connection is kept for another request, also where the answer began before.
      if (isLeaving(server)) response.shouldKeepAlive = false;
      else response.once('finish', () => void (isLeaving(server) && request.socket.end()));
      if (!inFront?.(request, response)) handler(request, response);
    },
  );
  server.setTimeout(idleSocketMs);
  if (prepared) putInFront(server, { ...prepared, headersMs, keepAliveMs, idleSocketMs });
  new IdleConnections({ maxIdleMs: keepAliveMs + headersMs }).watch(server);
  server.on('checkExpectation', (_request, response) => refuse(response, new AppError('expectation_failed')));
  return server;
}

function refuse(response: ServerResponse, error: AppError): void {
  sendError(response, error, { Connection: 'close', 'X-Request-Id': newRequestId() });
}

/** An empty body is no body, whatever its type says: clients send `Content-Type` with a bare DELETE. */
function acceptJsonOnly(app: HttpApp): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body as string, done);
  });
}

function refuseWhileClosing(app: HttpApp): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onRequest', (_request, _reply, done) => {
    const headers = { Connection: 'close', 'Retry-After': '5' };
    done(closing ? new AppError('shutting_down', undefined, { headers }) : undefined);
  });
}

function judgeBodies(app: HttpApp, rate: BodyRateOptions | undefined): void {
  const guard = new BodyRateGuard(rate);
  app.addHook('onClose', async () => guard.close());
  const tooSlow = (raw: IncomingMessage, reply: FastifyReply): void => {
    const error = new AppError('body_too_slow', undefined, { headers: { Connection: 'close' } });
    // Whoever reads the body hears of it and gives up, and the answer goes the way of every other error.
    if (!reply.sent && raw.listenerCount('error') > 0) raw.emit('error', error);
    else raw.destroy();
  };
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const hasBody = 'transfer-encoding' in raw.headers || Number(raw.headers['content-length']) > 0;
    if (hasBody) guard.watch(raw, () => tooSlow(raw, reply));
    done();
  });
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) drain(raw);
    done();
  });
}

/**
 * Answered before the body was read: lets the client finish and read the answer, but not for ever. Whatever was reading it
 * has given up, and what nobody reads would keep the client from ever coming to the answer.
 */
function drain(raw: IncomingMessage): void {
  raw.unpipe().resume();
  setTimeout(() => void (raw.complete || raw.destroy()), drainMs).unref();
}

type Answer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function answerWith(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toAppError(error);
  if (known.status >= 500)
    log[isExpected(known.status) ? 'warn' : 'error'](
      { reqId: request.id, err: known.cause ?? known, code: known.code },
      'request failed',
    );
  return reply
    .code(known.status)
    .headers({ 'X-Request-Id': request.id, ...errorHeaders(known) })
    .type('application/json; charset=utf-8')
    .send({
      error: known.message,
    });
}
