// The one place that turns whatever went wrong into an answer: a status, `{error}` and a stable code, nothing from inside.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, type ErrorCode } from '../errors.ts';
import { newRequestId } from './request-id.ts';

/** Codes of Fastify, its parsers and Node's HTTP parser, in our words. */
const foreignCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'not_json',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_ASYNC_CONSTRAINT: 'not_found',
  FST_ERR_NOT_FOUND: 'not_found',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'headers_too_slow',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
};

export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode, message } = (error ?? {}) as {
    code?: string;
    statusCode?: number;
    message?: string;
  };
  const known = code && foreignCodes[code];
  if (known) return new AppError(known, undefined, { cause: error });
  if (error instanceof SyntaxError && statusCode === 400)
    return new AppError('invalid_json', undefined, { cause: error });
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return new AppError('bad_request', undefined, { cause: error });
  if (message && /premature close|unexpected end|aborted/i.test(message)) {
    return new AppError('invalid_multipart', undefined, { cause: error });
  }
  return new AppError('internal', undefined, { cause: error });
}

export function errorHeaders(error: AppError): Record<string, string> {
  return { ...error.headers, 'X-Error-Code': error.code, 'Cache-Control': 'no-store' };
}

/** For answers given around the framework. */
export function sendError(
  response: ServerResponse,
  error: AppError,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify({ error: error.message });
  response.writeHead(error.status, {
    ...headers,
    ...errorHeaders(error),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** How long a client may take to read why it was refused and hang up; the connection ends then whatever it does. */
const goodbyeMs = 2000;

/** For requests so malformed that there is no response object. */
export function answerOnSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const known = toAppError(error);
  const answer = known.code === 'internal' ? new AppError('bad_request') : known;
  const body = JSON.stringify({ error: answer.message });
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Error-Code: ${answer.code}\r\nX-Request-Id: ${newRequestId()}\r\nConnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), goodbyeMs).unref();
}
