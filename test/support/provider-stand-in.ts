// What the stand-ins of video providers have in common: a real HTTP server that answers JSON, fails when it is told to, and
// sends signed webhooks.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type ProviderRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: any;
};
export type ProviderAnswer = { status: number; body?: unknown; type?: string };

/** Instead of the next answer; `afterwards` does what was asked all the same. Status 0 never answers, -1 cuts the connection. */
export type Fault = {
  status: number;
  afterwards?: boolean;
  headers?: Record<string, string>;
  body?: string;
  /** Only for calls whose method and path contain this. */
  to?: string;
};

export type ServedProvider = {
  url: string;
  /** Method and path of every call, in order. */
  seen: string[];
  faults: Fault[];
} & AsyncDisposable;

export async function serveProvider(
  answer: (request: ProviderRequest) => ProviderAnswer | Promise<ProviderAnswer>,
): Promise<ServedProvider> {
  const seen: string[] = [];
  const faults: Fault[] = [];
  const take = async (raw: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path, searchParams: query } = new URL(raw.url ?? '/', 'http://stand-in');
    const sent = await text(raw);
    const request = {
      method: raw.method ?? '',
      path,
      query,
      headers: raw.headers,
      body: sent && JSON.parse(sent),
    };
    const line = `${request.method} ${path}`;
    seen.push(line);
    const place = faults.findIndex(({ to }) => to === undefined || line.includes(to));
    const [fault] = place === -1 ? [] : faults.splice(place, 1);
    if (!fault) return send(response, await answer(request));
    if (fault.afterwards) await answer(request);
    if (fault.status === -1) raw.socket.destroy();
    else if (fault.status > 0) response.writeHead(fault.status, fault.headers).end(fault.body);
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    faults,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function send(response: ServerResponse, { status, body, type = 'application/json' }: ProviderAnswer): void {
  if (body === undefined) response.writeHead(status).end();
  else
    response
      .writeHead(status, { 'Content-Type': type })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
}

export type WebhookCall = { body: string; headers: Record<string, string> };
export type Signing = { secret: string; secondsAgo?: number };

/** Time and signature as both providers make them. */
export function sign(body: string, { secret, secondsAgo = 0 }: Signing): { time: number; signature: string } {
  const time = Math.floor(Date.now() / 1000) - secondsAgo;
  return { time, signature: createHmac('sha256', secret).update(`${time}.${body}`).digest('hex') };
}

export const masterPlaylist = `#EXTM3U
#EXT-X-VERSION:5
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=2516370,AVERAGE-BANDWIDTH=2516370,CODECS="mp4a.40.2,avc1.640020",RESOLUTION=1280x720,CLOSED-CAPTIONS=NONE
high.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=840000,CODECS="mp4a.40.2,avc1.64001e",RESOLUTION=640x360
low.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="mp4a.40.2,avc1.64001e",RESOLUTION=640x360
low-again.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"
sound.m3u8
`;
export const masterRenditions = [
  { name: '360p', width: 640, height: 360, bandwidth: 900_000 },
  { name: '720p', width: 1280, height: 720, bandwidth: 2_516_370 },
];
