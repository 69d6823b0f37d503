// Known ways to confuse an HTTP server about where a request ends, who it is for, or how much of it there is.
import { gzipSync } from 'node:zlib';
import { filePart, multipart, multipartType, type Part } from '../support/multipart.ts';
import { head } from '../support/raw-http.ts';
import type { RawCase } from './raw-exchange.ts';

type Headers = Record<string, string | number>;

const isJson = { 'Content-Type': 'application/json' };
const tags = '{"tags":[]}';

export function rawTricks(bucket: string, file: Buffer): RawCase[] {
  const update = (headers: Headers, body: string | Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(head('POST', '/update/here', { ...isJson, ...headers })),
      Buffer.from(body as string),
    ]);
  const withLength = (body: string | Buffer, headers: Headers = {}): Buffer =>
    update({ 'Content-Length': Buffer.byteLength(body), ...headers }, body);
  const upload = (body: Buffer, headers: Headers = {}): Buffer => {
    const all = { 'Content-Type': multipartType, 'Content-Length': body.length, ...headers };
    return Buffer.concat([Buffer.from(head('POST', '/upload/', all)), body]);
  };
  const form = (parts: Part[], options?: { end: boolean }): Buffer => upload(multipart(parts, options));
  const get = (headers: Headers): string => head('GET', `/files/${bucket}/here/original`, headers);
  const bomb = gzipSync(Buffer.alloc(10_000_000, '[')).subarray(0, 900_000);

  const answered = [
    update({ 'Content-Length': 5, 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'),
    update({ 'Content-Length': '11, 11' }, tags),
    update({ 'Content-Length': '+11' }, tags),
    update({ 'Content-Length': '0x0b' }, tags),
    update({ 'Content-Length': 99_999_999_999_999 }, tags),
    update({ 'Transfer-Encoding': 'chunked, identity' }, '0\r\n\r\n'),
    update({ 'Transfer-Encoding': 'xchunked' }, '0\r\n\r\n'),
    update({ 'Transfer-Encoding ': 'chunked' }, '0\r\n\r\n'),
    update({ 'Transfer-Encoding': 'chunked' }, 'ffffffffffffffffff\r\n'),
    update({ 'Transfer-Encoding': 'chunked' }, `b;${'x'.repeat(30_000)}\r\n${tags}\r\n0\r\n\r\n`),
    update({ 'Transfer-Encoding': 'chunked' }, `-1\r\n${tags}\r\n0\r\n\r\n`),
    withLength('['.repeat(100_000) + ']'.repeat(100_000)),
    withLength(`{"tags":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    withLength(bomb, { 'Content-Encoding': 'gzip' }),
    upload(bomb, { 'Content-Encoding': 'gzip' }),
    form([filePart(file)], { end: false }),
    form([filePart(file), filePart(file)]),
    form(Array.from({ length: 10_000 }, () => ({ name: 'a', value: '' }))),
    form([{ name: 'x'.repeat(1_000_000), value: 'a' }, filePart(file)]),
    form([{ name: 'tags', value: 'x'.repeat(1_000_000) }, filePart(file)]),
    upload(multipart([filePart(file)]), { 'Content-Type': 'multipart/form-data; boundary=other' }),
    upload(multipart([filePart(file)]), {
      'Content-Type': `multipart/form-data; boundary="${'b'.repeat(500)}"`,
    }),
    get({ Host: 'evil.example' }),
    get({ Host: 'user@localhost:1/x?y' }),
    get({ Host: 'a\r\nHost: b' }),
    get({ 'X-Forwarded-Host': 'evil', 'X-Forwarded-Proto': 'gopher', 'X-Forwarded-For': '127.0.0.1' }),
    get({ 'X-Long': 'x'.repeat(17_000) }),
    get({ Range: `bytes=${'0-1,'.repeat(3000)}0-1` }),
    get({ Range: `bytes=0-${'9'.repeat(400)}` }),
    get({ 'If-None-Match': '"a",'.repeat(3000) }),
    get({ Folded: 'a\r\n b' }),
    get(Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`A${index}`, '']))),
    head('OPTIONS', '*'),
    head('TRACE', '/'),
    head('get', '/health/live'),
    head('X'.repeat(3000), '/'),
    head('GET', `/files/${bucket}/here/original`).replace(' HTTP', '  HTTP'),
    head('GET', '/health/live').replace('HTTP/1.1', 'HTTP/1.0'),
    head('GET', '/health/live').replaceAll('\r\n', '\n'),
    head('GET', '/health/live').replace('HTTP/1.1', 'HTTP/0.9'),
    head('GET', '//health//live'),
    head('GET', '/files/../../../../etc/passwd'),
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET /\r\n\r\n',
  ];
  const unfinished = [
    head('CONNECT', 'evil:443'),
    update({ 'Content-Length': 100 }, tags),
    update({ 'Transfer-Encoding': 'chunked' }, `5\r\n${tags}`),
    get({ Connection: 'Upgrade', Upgrade: 'websocket' }).slice(0, -2),
    upload(multipart([filePart(file)]).subarray(0, 100), { 'Content-Length': 1000 }),
  ];
  const asCase =
    (mustAnswer: boolean) =>
    (request: string | Buffer): RawCase => ({
      request: Buffer.from(request as string),
      mustAnswer,
    });
  return [...answered.map(asCase(true)), ...unfinished.map(asCase(false))];
}
