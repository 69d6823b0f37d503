// Browsers may call the API from the origins the operator names, and from no others.
import type { FastifyInstance } from 'fastify';

export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (!origin || !(origins.includes('*') || origins.includes(origin))) return;
    reply.header('Access-Control-Allow-Origin', origin).header('Vary', 'Origin');
    reply.header(
      'Access-Control-Expose-Headers',
      'Link, RateLimit, RateLimit-Policy, Retry-After, X-Error-Code, X-Request-Id, X-Total-Count',
    );
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return;
    await reply
      .code(204)
      .header('Access-Control-Allow-Methods', 'GET, HEAD, POST, PATCH, DELETE')
      .header('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key')
      .header('Access-Control-Max-Age', '600')
      .send();
  });
}
