// The OpenAPI 3.1 document, made from the routes' own schemas, and a page to read and try it.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import swagger from '@fastify/swagger';
import type { FastifyReply } from 'fastify';
import type { HttpApp } from './http-server.ts';

const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="/dashboard/favicon.svg" type="image/svg+xml" />
    <title>Tintype API</title>
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/reference.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;
const tagOrder = [
  'Objects',
  'Images',
  'Public addresses',
  'Session',
  'Account',
  'Keys',
  'Webhooks',
  'Accounts',
  'Service',
];

const startScript = `Scalar.createApiReference('#reference', {
  url: '/openapi.json', hideClientButton: true, withDefaultFonts: false, telemetry: false, showDeveloperTools: 'never',
  agent: { disabled: true }, mcp: { disabled: true },
});
`;

export type ApiDescription = { version: string; baseUrl: string; extraPaths?: Record<string, object> };

/** Before the routes are registered. */
export async function describeApi(
  app: HttpApp,
  { version, baseUrl, extraPaths = {} }: ApiDescription,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tintype',
        version,
        description:
          'Image and video hosting: upload over REST, transform by address, find by describing. Every error body is `{error}`, a sentence; a stable code is in `X-Error-Code`.',
      },
      externalDocs: { url: `${baseUrl}/docs`, description: 'Documentation' },
      servers: [{ url: baseUrl }, { url: `${baseUrl}/v1` }],
      security: [{ apiKey: [] }],
      tags: tagOrder.map((name) => ({ name })),
      components: {
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
        schemas: {
          Error: {
            type: 'object',
            required: ['error'],
            additionalProperties: false,
            properties: { error: { type: 'string' } },
          },
        },
      },
      paths: extraPaths as never,
    },
    transform: ({ schema, url, route }) => ({
      schema: withScope(schema as Schema, route.config?.scope),
      url,
    }),
  });
}

type Schema = Record<string, unknown> & { response?: Record<string, unknown>; multipart?: object };

declare module 'fastify' {
  interface FastifySchema {
    /** The parts of a multipart body: described, but read and checked by the route itself. */
    multipart?: object;
  }
}

function withScope(schema: Schema | undefined, scope: string | undefined): never {
  const errors = {
    '4xx': {
      $ref: '#/components/schemas/Error',
      description: 'The request cannot be done; the sentence says why',
    },
  };
  const isApi = scope !== undefined && scope !== 'public';
  const isProbe = (schema?.['tags'] as string[] | undefined)?.includes('Service');
  return {
    ...schema,
    ...(schema?.multipart ? { body: schema.multipart, consumes: ['multipart/form-data'] } : {}),
    ...(isApi
      ? {
          description: [schema?.['description'], `Needs a key with the scope \`${scope}\`.`]
            .filter(Boolean)
            .join('\n\n'),
        }
      : {}),
    ...(schema?.response && !isProbe ? { response: { ...schema.response, ...errors } } : {}),
  } as never;
}

/** To read and to try. */
export function sendReference(reply: FastifyReply): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', pagePolicy).send(page);
}

export function referenceRoutes(app: HttpApp): void {
  const options = { config: { scope: 'public' }, schema: { hide: true } } as const;
  let referenceScript: Promise<Buffer> | null = null;
  app.get('/openapi.json', options, async (_request, reply) => reply.send(app.swagger()));
  app.get('/docs/api-reference', options, async (_request, reply) => sendReference(reply));
  app.get('/docs/start.js', options, async (_request, reply) => script(reply).send(startScript));
  app.get('/docs/reference.js', options, async (_request, reply) =>
    script(reply)
      .header('Content-Encoding', 'gzip')
      .send(await (referenceScript ??= loadReferenceScript())),
  );
}

function script(reply: FastifyReply): FastifyReply {
  return reply
    .type('text/javascript; charset=utf-8')
    .header('Cache-Control', 'public, max-age=3600')
    .header('X-Content-Type-Options', 'nosniff');
}

/** The package keeps its browser bundle as a string of four megabytes: loaded when somebody reads the page, not at start. */
async function loadReferenceScript(): Promise<Buffer> {
  const [{ default: Fastify }, { default: reference }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ]);
  const host = Fastify();
  await host.register(reference, { routePrefix: '/reference', configuration: { content: {} } });
  const { rawPayload } = await host.inject('/reference/js/scalar.js');
  await host.close();
  return promisify(gzip)(rawPayload);
}
