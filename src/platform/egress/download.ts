// A file from an address somebody gave: as a stream of any length, after redirects, of which each is judged like the first
// address. The head of every answer has a deadline; the pace of the body is for the caller to judge.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Audience, describeFault, openCall } from './call-out.ts';

export type Download = {
  status: number;
  headers: IncomingHttpHeaders;
  /** Where it came from in the end. */
  url: URL;
  /** To be read to its end or destroyed. */
  body: IncomingMessage;
};
export type DownloadOptions = Audience & { url: string; answerMs: number; signal: AbortSignal };

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Resolves with the answer, whatever its status; rejects in words for whoever gave the address. */
export async function download(options: DownloadOptions): Promise<Download> {
  let url = new URL(options.url);
  for (let followed = 0; ; followed++) {
    const body = await answerOf({ ...options, url: url.href });
    const { statusCode: status = 0, headers } = body;
    const { location } = headers;
    if (!redirects.has(status) || location === undefined) return { status, headers, url, body };
    body.destroy();
    if (followed === maxRedirects) throw new Error(`it was redirected more than ${maxRedirects} times`);
    url = nextAddress(location, url);
  }
}

function nextAddress(location: string, from: URL): URL {
  const next = URL.parse(location, from.href);
  if (!next || !['http:', 'https:'].includes(next.protocol))
    throw new Error('it was redirected to something that is no web address');
  // Never sent, and an address that holds them may not be called.
  next.username = '';
  next.password = '';
  return next;
}

async function answerOf(options: DownloadOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { Accept: 'image/*, video/*, */*;q=0.5', 'Accept-Encoding': 'identity' };
  const outgoing = openCall({ ...options, method: 'GET', headers });
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    outgoing.destroy(new Error('late'));
  }, options.answerMs);
  outgoing.once('response', resolve);
  // Without a listener of ours an offer to change the protocol would leave the caller waiting.
  outgoing.once('upgrade', () => outgoing.destroy(new Error('upgrade')));
  outgoing.on('error', (error) =>
    reject(new Error(isLate ? `no answer within ${options.answerMs / 1000} s` : describeFault(error))),
  );
  outgoing.end();
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
  }
}
