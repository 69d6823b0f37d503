// Uploads a file that is not in memory as a whole: some bytes, then one chunk many times, as fast as they are read.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Service } from './service.ts';
import { multipart } from './upload-request.ts';

export type Uploaded = { object_id: string; object_url: string; video_url?: string };

export async function uploadLarge(
  service: Service,
  beginning: readonly Buffer[],
  { chunk, times }: { chunk: Buffer; times: number },
): Promise<Uploaded> {
  const size = beginning.reduce((sum, part) => sum + part.length, 0) + times * chunk.length;
  const upload = request({
    port: service.port,
    host: '127.0.0.1',
    path: '/upload/',
    method: 'POST',
    headers: multipart.headers(size),
  });
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
  const body = function* (): Generator<Buffer> {
    yield multipart.opening;
    yield* beginning;
    for (let i = 0; i < times; i++) yield chunk;
    yield multipart.closing;
  };
  await pipeline(Readable.from(body(), { objectMode: true, highWaterMark: 1 }), upload);
  const [response] = await answered;
  const answer = await text(response);
  if (response.statusCode !== 200)
    throw new Error(`The upload was answered ${response.statusCode}: ${answer}`);
  return JSON.parse(answer) as Uploaded;
}
