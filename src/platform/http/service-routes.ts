// What operators and their tools ask a service: is it alive, is it ready, how is it doing.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { AppError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { HttpApp } from './http-server.ts';
import { isLeaving } from './leaving.ts';

const Health = Type.Object({
  status: Type.String(),
  checks: Type.Optional(Type.Record(Type.String(), Type.String())),
});
const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];
const checkTimeoutMs = 2000;

export type ServiceParts = {
  checks: Record<string, () => Promise<void>>;
  metrics: Pick<Metrics, 'requests' | 'contentType'>;
  /** Of the whole service. */
  metricsText: () => Promise<string>;
  metricsToken: string | undefined;
};

export function serviceRoutes(app: HttpApp, parts: ServiceParts): void {
  const { checks, metrics, metricsText, metricsToken } = parts;
  const config = { scope: 'public' } as const;
  const health = (summary: string) => ({
    summary,
    tags: ['Service'],
    security: [],
    response: { 200: Health as TSchema, 503: Health as TSchema },
  });
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });

  app.get('/health/live', { config, schema: health('Whether the process runs') }, async () => ({
    status: 'ok',
  }));

  app.get('/health/ready', { config, schema: health('Whether it can serve') }, async (_request, reply) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
    );
    const ready = !closing && !isLeaving(app.server) && results.every(([, result]) => result === 'ok');
    reply.code(ready ? 200 : 503);
    return { status: ready ? 'ok' : 'unavailable', checks: Object.fromEntries(results) };
  });

  app.get('/metrics', { config, schema: { hide: true } as object }, async (request, reply) => {
    if (!mayReadMetrics(request, metricsToken)) throw new AppError('not_found');
    return reply.type(metrics.contentType).send(await metricsText());
  });

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    metrics.requests
      .labels(request.method, route, String(reply.statusCode))
      .observe(reply.elapsedTime / 1000);
    done();
  });
}

async function outcome(check: () => Promise<void>): Promise<string> {
  const late = new Promise<string>((resolve) =>
    setTimeout(() => resolve('no answer in time'), checkTimeoutMs).unref(),
  );
  return Promise.race([
    check().then(
      () => 'ok',
      () => 'failed',
    ),
    late,
  ]);
}

/** Without a token only this machine itself may look; what came through a proxy did not come from here. */
function mayReadMetrics(request: FastifyRequest, token: string | undefined): boolean {
  if (token === undefined) {
    const here = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.socket.remoteAddress ?? '');
    return here && !proxyHeaders.some((name) => name in request.headers);
  }
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${token}`));
}
