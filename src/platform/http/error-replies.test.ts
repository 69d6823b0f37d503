import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createSocketServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { AppError } from '../errors.ts';
import { answerOnSocket, errorHeaders, sendError, toAppError } from './error-replies.ts';

const failure = (fields: object, message = 'from inside: /var/lib/tintype.db'): Error =>
  Object.assign(new Error(message), fields);

describe('errors as answers', () => {
  test('whatever went wrong has one status and one code', () => {
    for (const [error, status, code] of [
      [new AppError('object_not_found'), 404, 'object_not_found'],
      [failure({ code: 'FST_ERR_CTP_INVALID_JSON_BODY', statusCode: 400 }), 400, 'invalid_json'],
      [failure({ code: 'FST_ERR_CTP_EMPTY_JSON_BODY', statusCode: 400 }), 400, 'invalid_json'],
      [failure({ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }), 415, 'not_json'],
      [failure({ code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }), 413, 'body_too_large'],
      [failure({ code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH', statusCode: 400 }), 400, 'bad_request'],
      [failure({ code: 'FST_ERR_BAD_URL', statusCode: 400 }), 404, 'not_found'],
      [failure({ code: 'FST_ERR_NOT_FOUND', statusCode: 404 }), 404, 'not_found'],
      [failure({ code: 'HPE_HEADER_OVERFLOW' }), 431, 'headers_too_large'],
      [failure({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }), 408, 'headers_too_slow'],
      [failure({ code: 'ENOSPC' }), 507, 'disk_full'],
      [Object.assign(new SyntaxError('Unexpected token'), { statusCode: 400 }), 400, 'invalid_json'],
      [failure({ statusCode: 418 }), 400, 'bad_request'],
      [failure({}, 'Premature close'), 400, 'invalid_multipart'],
      [failure({}, 'Unexpected end of form'), 400, 'invalid_multipart'],
      [failure({}, 'aborted'), 400, 'invalid_multipart'],
      [failure({}), 500, 'internal'],
      [failure({ statusCode: 503 }), 500, 'internal'],
      [new SyntaxError('Unexpected token'), 500, 'internal'],
      [new TypeError('x is not a function'), 500, 'internal'],
      ['a thrown text', 500, 'internal'],
      [null, 500, 'internal'],
      [undefined, 500, 'internal'],
    ] as const) {
      const known = toAppError(error);
      assert.deepEqual([known.status, known.code], [status, code], String(error));
      if (!(error instanceof AppError)) assert.equal(known.cause, error);
      assert.doesNotMatch(known.message, /inside|token|function|thrown/, 'shows what was inside');
    }
  });

  test('no error is kept by a cache, and its own headers go with it', () => {
    const error = new AppError('rate_limited', undefined, { headers: { 'Retry-After': '7' } });
    assert.deepEqual(errorHeaders(error), {
      'Retry-After': '7',
      'X-Error-Code': 'rate_limited',
      'Cache-Control': 'no-store',
    });
  });

  test('around the framework: the sentence as JSON, and after HEAD only its length', async () => {
    const server = createServer((_request, response: ServerResponse) =>
      sendError(response, new AppError('object_not_found', 'Objekt nicht gefunden ✗'), {
        'X-Request-Id': 'r',
      }),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const get = await fetch(url);
    const body = await get.text();
    assert.equal(get.status, 404);
    assert.deepEqual(JSON.parse(body), { error: 'Objekt nicht gefunden ✗' });
    assert.equal(get.headers.get('content-length'), String(Buffer.byteLength(body)));
    assert.equal(get.headers.get('x-error-code'), 'object_not_found');
    assert.equal(get.headers.get('x-request-id'), 'r');
    const head = await fetch(url, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(body)));
    assert.equal(await head.text(), '');
    server.close();
  });

  async function answerTo(error: NodeJS.ErrnoException): Promise<string> {
    const server = createSocketServer((socket: Socket) => answerOnSocket(error, socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const answer = await text(connect((server.address() as AddressInfo).port, '127.0.0.1'));
    server.close();
    return answer;
  }

  test('what is no proper HTTP is answered on the bare socket, which is then closed', async () => {
    for (const [error, statusLine, code] of [
      [failure({ code: 'HPE_INVALID_METHOD' }), '400 Bad Request', 'bad_request'],
      [failure({ code: 'HPE_HEADER_OVERFLOW' }), '431 Request Header Fields Too Large', 'headers_too_large'],
      [failure({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }), '408 Request Timeout', 'headers_too_slow'],
    ] as const) {
      const [head = '', body = ''] = (await answerTo(error)).split('\r\n\r\n');
      assert.ok(head.startsWith(`HTTP/1.1 ${statusLine}\r\n`), head);
      assert.match(head, new RegExp(`\r\nX-Error-Code: ${code}(\r\n|$)`));
      assert.match(head, /\r\nX-Request-Id: req_/);
      assert.match(head, new RegExp(`\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`));
      assert.deepEqual(Object.keys(JSON.parse(body) as object), ['error']);
      assert.doesNotMatch(body, /inside/);
    }
    assert.equal(await answerTo(failure({ code: 'ECONNRESET' })), '');
  });
});
