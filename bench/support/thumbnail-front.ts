// Stands in front of a service whose library has rows but no bytes: thumbnails come from here, all else from the service.
// A page sees one address, and fetches pictures as it would in life.
import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import sharp from 'sharp';

export type ThumbnailFront = AsyncDisposable & { readonly url: string; passOnTo(port: number): void };

export async function startThumbnailFront(): Promise<ThumbnailFront> {
  const create = { width: 200, height: 200, channels: 3 as const, background: '#a98' };
  const thumbnail = await sharp({ create }).webp().toBuffer();
  let target = 0;
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/h-200_w-200.webp')) {
      response.writeHead(200, { 'Content-Type': 'image/webp' }).end(thumbnail);
      return;
    }
    const { method, headers, url: path } = request;
    const passed = ask({ port: target, host: '127.0.0.1', method, headers, path }, (answer) => {
      // Pages call off what has gone out of view.
      if (response.destroyed) return void answer.destroy();
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      pipeline(answer, response, () => undefined);
    });
    pipeline(request, passed, (error) => error && response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passOnTo: (port) => (target = port),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
