// Requests as bytes: hostile strings wherever a request has a string, and valid requests with damage.
import type { Random } from '../support/random.ts';
import { hostileStrings } from '../support/hostile-strings.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { head } from '../support/raw-http.ts';
import { mutateBytes } from './mutate.ts';
import type { RawCase } from './raw-exchange.ts';
import { inAddress, inForm } from './spellings.ts';

/** The last is cut in the middle of a character by whoever counts units. */
const strings = [...hostileStrings(), `a${'🦊'.repeat(150)}`];
const signs = ['\r\n', '\n', '\r', ' ', '\t', ':', '/', '?', '%', '\0', '\r\n\r\n', '0', '-1', 'ff'];
const words = ['HTTP/1.1', 'HTTP/1.0', 'HEAD', 'OPTIONS', 'POST', 'GET /health/live HTTP/1.1\r\n'];
const framing = ['Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n', 'Expect: 100-continue\r\n'];
const headers = ['Host: evil\r\n', 'Connection: close\r\n', 'Range: bytes='];
const short = strings.filter((text) => text.length < 400);
const pieces = [...signs, ...words, ...framing, ...headers, ...short];
const general =
  'Host Authorization Accept Accept-Encoding Content-Type Content-Encoding Cookie Origin Connection';
const conditional = 'Range If-Range If-None-Match If-Modified-Since Idempotency-Key Referer User-Agent';
const forwarded = 'X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto Forwarded X-Request-Id';
const headerNames = `${general} ${conditional} ${forwarded}`.split(' ');

export class RawRequests {
  readonly #bucket: string;
  readonly #templates: Buffer[];

  constructor(bucket: string, file: Buffer) {
    this.#bucket = bucket;
    const body = multipart([{ name: 'folder', value: 'a/b' }, filePart(file)]);
    const json = Buffer.from('{"tags":["a"],"folder":null}');
    const isJson = { 'Content-Type': 'application/json' };
    const chunked = `${json.length.toString(16)}\r\n${json.toString()}\r\n0\r\n\r\n`;
    this.#templates = [
      head('GET', `/files/${bucket}/here/original`, { Range: 'bytes=0-9', 'If-None-Match': '"a"' }),
      head('HEAD', `/files/${bucket}/here/original.webp`, { Accept: 'image/avif,image/webp;q=0.5' }),
      head('OPTIONS', `/files/${bucket}/here/w-5.webp`, { Origin: 'http://a' }),
      head('GET', '/get/?page=1&page_size=5&tags=a,b', { 'X-Forwarded-For': '1.2.3.4' }),
      head('DELETE', '/delete/gone'),
      head('GET', 'http://other.example/health/live'),
      head('POST', '/update/here', { ...isJson, 'Content-Length': json.length }) + json.toString(),
      head('POST', '/update/here', { ...isJson, 'Transfer-Encoding': 'chunked' }) + chunked,
      Buffer.concat([
        Buffer.from(
          head('POST', '/upload/', { 'Content-Type': multipartType, 'Content-Length': body.length }),
        ),
        body,
      ]),
    ].map((template) => Buffer.from(template as string));
  }

  make(random: Random): RawCase {
    if (random.chance(0.5)) return { request: this.#hostile(random), mustAnswer: true };
    const request = mutateBytes(random, random.pick(this.#templates), pieces);
    return { request, mustAnswer: false };
  }

  #hostile(random: Random): Buffer {
    const text = random.pick(strings);
    if (random.chance(0.4)) return this.#header(random, text);
    const spelled = random.pick([...inAddress(text).map((each) => Buffer.from(each)), ...inForm(text)]);
    const [before, after] = random.pick([
      ['/get/', ''],
      ['/', ''],
      ['', ''],
      [`/files/${this.#bucket}/`, '/original'],
      [`/files/${this.#bucket}/here/`, ''],
      [`/files/${this.#bucket}/here/`, '.webp'],
      ['/files/', '/here/original'],
      [`/storage/${this.#bucket}/here/`, ''],
      [`/files/${this.#bucket}/here/original?dl=`, ''],
      [`/files/${this.#bucket}/here/w-5.webp?exp=9999999999&sig=`, ''],
      ['/get/?folder=', '&page=1'],
      ['/get/?', '=1'],
      ['/create/here/', ''],
      ['http://evil', '/get/'],
    ] as const);
    const [start = '', rest = ''] = head(random.pick(['GET', 'GET', 'DELETE']), '|', {}).split('|');
    return Buffer.concat([Buffer.from(start + before), spelled, Buffer.from(after + rest)]);
  }

  #header(random: Random, text: string): Buffer {
    const target = random.pick(['/get/', `/files/${this.#bucket}/here/original`, '/health/live']);
    const name = random.chance(0.9) ? random.pick(headerNames) : text;
    const [start = '', rest = ''] = head('GET', target, { [name]: '|' }).split('|');
    return Buffer.concat([Buffer.from(start), random.pick(inForm(text)), Buffer.from(rest)]);
  }
}
