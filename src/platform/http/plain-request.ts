// Recognises the plainest of requests, a GET with nothing in it that could change its answer. Whatever is not surely one is
// left to Node's parser: the list names what is harmless, and the grammar is narrower than that of any parser. Pure.

export type PlainRequest = { target: string; headers: string; end: number };

const maxHeadLength = 8 * 1024;
const method = 'GET ';
const version = ' HTTP/1.1';
/** A name that is a word, a colon, and what can be seen: no control character, nothing folded, no bare line feed. */
const wholeBlock = /^(?:[A-Za-z][A-Za-z0-9-]*:[\x20-\x7e]*\r\n)+$/;
const oneHeader = /([^:]+): *(.*?) *\r\n/g;
const general = 'host connection user-agent referer origin cookie cache-control pragma dnt priority purpose';
const negotiation =
  'accept accept-encoding accept-language accept-charset upgrade-insecure-requests save-data';
const ofProxies = 'forwarded via x-forwarded-for x-forwarded-host x-forwarded-proto x-real-ip x-request-id';
const harmless = new Set(`${general} ${negotiation} ${ofProxies}`.split(' '));

/** Its line and its end; whether the headers are plain too, `hostOf` says. */
export function plainRequestAt(text: string, start: number): PlainRequest | null {
  const headEnd = text.indexOf('\r\n\r\n', start);
  if (headEnd === -1 || headEnd - start > maxHeadLength || !text.startsWith(method, start)) return null;
  const lineEnd = text.indexOf('\r\n', start);
  const targetEnd = lineEnd - version.length;
  if (lineEnd === headEnd || !text.startsWith(version, targetEnd)) return null;
  return {
    target: text.slice(start + method.length, targetEnd),
    headers: text.slice(lineEnd + 2, headEnd + 2),
    end: headEnd + 4,
  };
}

/** The one host that is named, or null when any header is more than plain. */
export function hostOf(headers: string): string | null {
  if (!wholeBlock.test(headers)) return null;
  let host: string | null = null;
  for (const [, spelled = '', value = ''] of headers.matchAll(oneHeader)) {
    const name = spelled.toLowerCase();
    if (!harmless.has(name) && !name.startsWith('sec-')) return null;
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return null;
    if (name !== 'host') continue;
    if (host !== null) return null;
    host = value;
  }
  return host;
}
