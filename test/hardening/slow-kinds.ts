// The slow clients of the suite. `heads` and `uploads` are what everybody tries first; `evasions` are slow in the places
// where a server's timers are easily forgotten.
import { partHead, multipartType } from '../support/multipart.ts';
import { head } from '../support/raw-http.ts';
import type { SlowKind } from './slow-clients.ts';

const someBucket = '0123456789abcdef';
const neverReached = 5_000_000;
const piecesThatReachTheDisk = 70;
const hello = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';
const headBegun = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ';

export const heads: SlowKind[] = [
  { name: 'a head', count: 1800, beginning: () => [], trickle: `${headBegun}a` },
  { name: 'a header', count: 200, beginning: () => [headBegun], trickle: 'a' },
];

export const uploads = (picture: Buffer): SlowKind[] => [
  {
    name: 'an upload',
    count: 160,
    beginning: (index) => [uploadHead(), uploadStart(`slow-${index}`), picture.subarray(0, 8000)],
    trickle: 'a',
  },
  {
    name: 'an upload that is on disk already',
    count: 40,
    beginning: (index) => [
      uploadHead(),
      uploadStart(`disk-${index}`),
      ...inPieces(picture.subarray(0, 8000), piecesThatReachTheDisk),
    ],
    trickle: 'a',
  },
];

export const evasions = (picture: Buffer): SlowKind[] => [
  { name: 'a head, deaf to the goodbye', ...few, beginning: () => [headBegun], trickle: 'a', rude: true },
  { name: 'a second head', ...few, beginning: () => [hello, headBegun], trickle: 'a' },
  { name: 'a second head, deaf', ...few, beginning: () => [hello, headBegun], trickle: 'a', rude: true },
  { name: 'blank lines', ...few, beginning: () => [], trickle: '\r\n' },
  { name: 'blank lines after a request', ...few, beginning: () => [hello], trickle: '\r\n' },
  { name: 'a body at a public address', ...few, beginning: () => [publicHead('GET')], trickle: 'a' },
  { name: 'a body posted there', ...few, beginning: () => [publicHead('POST')], trickle: 'a', rude: true },
  { name: 'a body at no address', ...few, beginning: () => [bodyHead('/nothing')], trickle: 'a' },
  { name: 'a body without a key', ...few, beginning: () => [keylessHead], trickle: 'a', rude: true },
  { name: 'an upload, deaf', ...few, beginning: () => [uploadHead()], trickle: 'a', rude: true },
  {
    name: 'an upload after a fast start',
    ...few,
    beginning: () => [uploadHead(), uploadStart('fast'), Buffer.concat([picture, Buffer.alloc(100_000)])],
    trickle: 'a',
  },
  {
    name: 'an upload in chunks',
    ...few,
    beginning: () => [head('POST', '/upload/', { ...asMultipart, 'Transfer-Encoding': 'chunked' })],
    trickle: '1\r\na\r\n',
  },
  {
    name: 'trailers',
    ...few,
    beginning: () => [`${head('POST', '/bulk/', { ...asJson, 'Transfer-Encoding': 'chunked' })}0\r\nX: `],
    trickle: 'a',
  },
];

const few = { count: 5 };
const asMultipart = { 'Content-Type': multipartType };
const asJson = { 'Content-Type': 'application/json' };
const keylessHead = `POST /upload/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${neverReached}\r\n\r\n`;

function uploadHead(): string {
  return head('POST', '/upload/', { ...asMultipart, 'Content-Length': neverReached });
}

function uploadStart(objectId: string): Buffer {
  const id = Buffer.concat([partHead({ name: 'object' }), Buffer.from(`${objectId}\r\n`)]);
  return Buffer.concat([id, partHead({ name: 'file', fileName: 'slow.jpg' })]);
}

function publicHead(method: string): string {
  return head(method, `/files/${someBucket}/cat/original`, { 'Content-Length': neverReached });
}

function bodyHead(target: string): string {
  return head('POST', target, { 'Content-Length': neverReached });
}

function inPieces(bytes: Buffer, count: number): Buffer[] {
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}
