// The dashboard: one page at / and at all its own addresses, its files below /dashboard/. It talks to the API alone, and
// its policy lets it load nothing from anywhere else but the addresses that deliver files.
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from './platform/errors.ts';
import type { HttpApp } from './platform/http/http-server.ts';
import { PageFiles } from './platform/http/page-files.ts';

const builtFolder = fileURLToPath(new URL('../dashboard/dist', import.meta.url));

export function dashboardRoutes(app: HttpApp, { deliveredFrom }: { deliveredFrom: readonly string[] }): void {
  const files = new PageFiles(builtFolder);
  const policy = pagePolicy(deliveredFrom.map((url) => new URL(url).origin));
  const options = { config: { scope: 'public' }, schema: { hide: true } } as const;

  const guarded = (reply: FastifyReply): FastifyReply =>
    reply
      .header('Content-Security-Policy', policy)
      .header('Referrer-Policy', 'no-referrer')
      .header('Cross-Origin-Opener-Policy', 'same-origin');

  async function page(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    guarded(reply);
    // Installed without what builds it: there is still the API to read about.
    if (!(await files.send(request, reply, 'index.html'))) await reply.redirect('/docs');
    return reply;
  }

  app.get('/', options, page);
  app.get('/dashboard', options, page);
  app.get<{ Params: { '*': string } }>('/dashboard/*', options, async (request, reply) => {
    const name = request.params['*'];
    if (await files.send(request, guarded(reply), name)) return reply;
    // A file of another version, and not a page.
    if (name.startsWith('assets/')) throw new AppError('not_found');
    return page(request, reply);
  });
}

function pagePolicy(deliveryOrigins: readonly string[]): string {
  const own = ["'self'", ...new Set(deliveryOrigins)].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${own} data: blob:`,
    `media-src ${own} blob:`,
    `connect-src ${own}`,
    // Streams are taken apart beside the page.
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
