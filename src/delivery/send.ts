// Sends a representation: conditional, partial or whole, and nothing after a HEAD.
import { ReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../platform/errors.ts';
import { sendError } from '../platform/http/error-replies.ts';
import { namesTag } from '../platform/http/names-tag.ts';
import { newRequestId } from '../platform/http/request-id.ts';
import { parseRange, type Range } from './byte-range.ts';
import { handOver, mayHandOver } from './hand-to-nginx.ts';
import { fileOf, pumpFile } from './pump-file.ts';
import { commonHeaders, type Representation } from './representation.ts';

export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  representation: Representation,
  download: string | null,
): Promise<void> {
  const { etag, sizeBytes, bytes } = representation;
  const headers: Record<string, string | number> = { ...representation.headers };
  const requestId = { 'X-Request-Id': newRequestId() };
  if (download !== null) headers['Content-Disposition'] = attachment(download);
  if (namesTag(request.headers['if-none-match'], etag)) {
    delete headers['Content-Type'];
    response.writeHead(304, { ...headers, ...requestId }).end();
    return representation.close();
  }
  const range = rangeOf(request, representation);
  if (range === 'unsatisfiable') {
    const error = new AppError('range_not_satisfiable', undefined, {
      headers: { 'Content-Range': `bytes */${sizeBytes}` },
    });
    sendError(response, error, { ...commonHeaders, ...requestId });
    return representation.close();
  }
  headers['Content-Length'] = range ? range.end - range.start + 1 : sizeBytes;
  if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end}/${sizeBytes}`;
  const status = range ? 206 : 200;
  Object.assign(headers, requestId);
  if (request.method === 'HEAD') {
    response.writeHead(status, headers).end();
    return representation.close();
  }
  if (bytes) {
    response.writeHead(status, headers).end(range ? bytes.subarray(range.start, range.end + 1) : bytes);
    return;
  }
  if (representation.internalAddress && mayHandOver(request, range)) {
    handOver(response, headers, representation.internalAddress);
    return representation.close();
  }
  // Opened before the head is sent: a file that cannot be read is still an honest error.
  const body = await representation.open(range);
  response.writeHead(status, headers);
  await stream(body, Number(headers['Content-Length']), response);
}

function rangeOf(
  request: IncomingMessage,
  { etag, sizeBytes }: Representation,
): Range | null | 'unsatisfiable' {
  if (request.method !== 'GET') return null;
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== etag) return null;
  return parseRange(request.headers.range, sizeBytes);
}

const hungUp = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE', 'ECONNRESET', 'EPIPE']);

async function stream(body: Readable, bytes: number, response: ServerResponse): Promise<void> {
  const file = body instanceof ReadStream ? fileOf(body) : null;
  try {
    if (!file) await pipeline(body, response);
    else if (!(await pumpFile(file, bytes, response))) response.destroy();
    if (file) body.destroy();
  } catch (error) {
    // The head is out: a broken connection is the only way left to say that the body is not whole.
    response.destroy();
    // Of a client that had hung up before, the pipeline does not even take the body, and nobody else would close it.
    body.destroy();
    const { code } = error as NodeJS.ErrnoException;
    if (!code || !hungUp.has(code)) throw error;
  }
}

function attachment(name: string): string {
  const plain = name.replace(/[^\w .()-]/g, '_').slice(0, 200);
  const encoded = encodeURIComponent(name.slice(0, 200).toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
