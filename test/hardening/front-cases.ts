// What a client may send to a server that answers some requests before its HTTP parser sees them: plain hits, and all that
// looks like one, comes before one, after one or in the middle of one.
import type { Random } from '../support/random.ts';
import type { Spoken } from './front-exchange.ts';
import { bodies, broken, harmless, many, meaningful, methods, pieces, versions } from './front-words.ts';
import { mutateBytes } from './mutate.ts';

export type Addresses = { host: string; hits: string[]; others: string[]; etag: string };

export class FrontCases {
  readonly #addresses: Addresses;
  constructor(addresses: Addresses) {
    this.#addresses = addresses;
  }

  make(random: Random): Spoken {
    if (random.chance(0.03)) return { pieces: split(random, this.#withMany(random)), hangsUpAtOnce: false };
    const onlyHits = random.chance(0.25);
    const requests = Array.from({ length: random.between(1, 5) }, () =>
      onlyHits ? this.#hit(random) : this.#request(random),
    );
    let bytes: Buffer = Buffer.from(requests.join(''), 'latin1');
    if (!onlyHits && random.chance(0.15)) bytes = mutateBytes(random, bytes, pieces);
    if (random.chance(0.1)) bytes = bytes.subarray(0, random.between(1, bytes.length));
    return { pieces: split(random, bytes), hangsUpAtOnce: onlyHits && random.chance(0.3) };
  }

  #hit(random: Random): string {
    const headers = [`Host: ${this.#addresses.host}`, ...random.some(harmless, 6)];
    return `GET ${random.pick(this.#addresses.hits)} HTTP/1.1\r\n${random.shuffle(headers).join('\r\n')}\r\n\r\n`;
  }

  #withMany(random: Random): Buffer {
    return Buffer.from(this.#hit(random).replace('\r\n', `\r\n${random.pick(many)}\r\n`));
  }

  #request(random: Random): string {
    if (random.chance(0.4)) return this.#hit(random);
    const host = random.chance(0.8) ? [`Host: ${this.#addresses.host}`] : random.some(this.#hosts(), 2);
    const ownTag = `If-None-Match: ${this.#addresses.etag}`;
    const headers = [
      ...host,
      ...random.some(harmless, 3),
      ...(random.chance(0.5) ? random.some([...meaningful, ownTag], 2) : []),
      ...(random.chance(0.3) ? [random.pick(broken)] : []),
    ];
    const lineEnd = random.chance(0.95) ? '\r\n' : '\n';
    const before = random.chance(0.95) ? '' : random.pick(['\r\n', '\n', ' ', '\0']);
    const lines = [this.#line(random), ...random.shuffle(headers), '', ''];
    return before + lines.join(lineEnd) + random.pick(bodies);
  }

  #hosts(): string[] {
    const { host } = this.#addresses;
    return [
      `host:${host}`,
      `HOST:  ${host}  `,
      `Host:\t${host}`,
      `Host: ${host}`,
      'Host: else.example',
      'Host :x',
    ];
  }

  #line(random: Random): string {
    const { hits, others } = this.#addresses;
    const path = random.pick(random.chance(0.7) ? hits : others);
    if (random.chance(0.5)) return `GET ${path} HTTP/1.1`;
    return `${random.pick(methods)} ${random.pick(this.#targets(path))} ${random.pick(versions)}`;
  }

  #targets(path: string): string[] {
    const { host } = this.#addresses;
    return [
      path,
      `${path}?dl=a.webp`,
      `${path}?`,
      `${path}#x`,
      `${path} `,
      `${path}\t`,
      `http://${host}${path}`,
      `//${host}${path}`,
      `/${path}`,
      path.slice(0, -1),
      `${path}/`,
      path.replace('/w-', '/%77-'),
      path.replace('/files/', '/files/../files/'),
      `${path}\xe9`,
      '*',
      '',
    ];
  }

  /** A hit with one thing changed, for every thing: alone, with a body, and before another hit. */
  oneByOne(): Spoken[] {
    const { host, hits, etag } = this.#addresses;
    const [path = ''] = hits;
    const hostLine = `Host: ${host}`;
    const line = `GET ${path} HTTP/1.1`;
    const heads = [
      ...[...harmless, ...meaningful, ...broken, ...many, `If-None-Match: ${etag}`].map((header) => [
        line,
        hostLine,
        header,
      ]),
      ...this.#hosts().flatMap((other) => [
        [line, other],
        [line, hostLine, other],
        [line, other, hostLine],
      ]),
      [line],
      [line, 'Accept: a'],
      ...methods.map((method) => [`${method} ${path} HTTP/1.1`, hostLine]),
      ...this.#targets(path).map((target) => [`GET ${target} HTTP/1.1`, hostLine]),
      ...versions.map((version) => [`GET ${path} ${version}`, hostLine]),
    ].map((lines) => `${lines.join('\r\n')}\r\n\r\n`);
    const next = `${line}\r\n${hostLine}\r\n\r\n`;
    const texts = heads.flatMap((head) => [head, `${head}hello`, head + next, next + head]);
    return texts.map((text) => ({ pieces: [Buffer.from(text, 'latin1')], hangsUpAtOnce: false }));
  }
}

function split(random: Random, bytes: Buffer): Buffer[] {
  if (random.chance(0.4)) return [bytes];
  const everywhere = bytes.length < 300 && random.chance(0.15);
  const cuts = everywhere
    ? Array.from(bytes.keys())
    : Array.from({ length: random.between(1, 4) }, () => random.between(1, bytes.length));
  const sorted = [...new Set([0, ...cuts, bytes.length])].sort((left, right) => left - right);
  return sorted
    .slice(1)
    .map((end, index) => bytes.subarray(sorted[index], end))
    .filter((piece) => piece.length > 0);
}
