// The documentation, as it was built from docs/: its front at /docs, a page for each name, their pictures and files. Where it
// was not built, /docs is the reference of the API.
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from './platform/errors.ts';
import type { HttpApp } from './platform/http/http-server.ts';
import { sendReference } from './platform/http/openapi.ts';
import { PageFiles } from './platform/http/page-files.ts';

const builtFolder = fileURLToPath(new URL('../docs/dist', import.meta.url));
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function docsRoutes(app: HttpApp, { folder = builtFolder }: { folder?: string } = {}): void {
  const files = new PageFiles(folder);
  const options = { config: { scope: 'public' }, schema: { hide: true } } as const;

  async function send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<boolean> {
    reply
      .header('Content-Security-Policy', policy)
      .header('Referrer-Policy', 'no-referrer')
      .header('Cross-Origin-Opener-Policy', 'same-origin');
    return files.send(request, reply, name);
  }

  app.get('/docs', options, async (request, reply) =>
    (await send(request, reply, 'index.html')) ? reply : sendReference(reply),
  );
  app.get<{ Params: { page: string } }>('/docs/:page(^[a-z0-9-]+$)', options, async (request, reply) => {
    if (!(await send(request, reply, `${request.params.page}.html`))) throw new AppError('not_found');
    return reply;
  });
  for (const part of ['assets', 'images']) {
    app.get<{ Params: { '*': string } }>(`/docs/${part}/*`, options, async (request, reply) => {
      if (!(await send(request, reply, `${part}/${request.params['*']}`))) throw new AppError('not_found');
      return reply;
    });
  }
}
