// Browsers may call the API from the origins the operator names, and from no others, except where a request brings a right
// of its own that no browser adds by itself.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const exposed = [
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-Error-Code',
  'X-Request-Id',
  'X-Total-Count',
].join(', ');
const allowed = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-Request-Id',
  'X-Requested-With',
].join(', ');

export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (!origin || !(origins.includes('*') || origins.includes(origin))) return done();
    reply.header('Vary', 'Origin');
    allow(request, reply, origin, done);
  });
}

/** From every origin, for the requests `isOpen` names. Never with credentials: cookies and the like stay at home. */
export function allowAnyOrigin(app: FastifyInstance, isOpen: (request: FastifyRequest) => boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isAllowed = reply.hasHeader('Access-Control-Allow-Origin');
    if (!request.headers.origin || isAllowed || !isOpen(request)) return done();
    allow(request, reply, '*', done);
  });
}

/** A browser asks first whether it may send what it is about to send. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** A preflight is thereby answered; everything else goes on. */
function allow(request: FastifyRequest, reply: FastifyReply, origin: string, goOn: () => void): void {
  reply.header('Access-Control-Allow-Origin', origin).header('Access-Control-Expose-Headers', exposed);
  if (!isPreflight(request)) return goOn();
  void reply
    .code(204)
    .header('Access-Control-Allow-Methods', 'GET, HEAD, POST, PATCH, DELETE')
    .header('Access-Control-Allow-Headers', allowed)
    .header('Access-Control-Max-Age', '600')
    .send();
}
