// Speaks the HTTP API of Cloudflare Stream on loopback, as its reference and guides describe it: videos are copied from an
// address, listed by creator, looked at and deleted, with a bearer token; webhooks are signed as Cloudflare signs them.
import { randomBytes } from 'node:crypto';
import {
  masterPlaylist,
  type ProviderAnswer,
  type ProviderRequest,
  serveProvider,
  type ServedProvider,
  sign,
  type Signing,
  type WebhookCall,
} from './provider-stand-in.ts';

type Video = Record<string, any> & { uid: string; creator: string | null };
type Status = { state: string; pctComplete?: string; [more: string]: unknown };

export type CloudflareStandIn = ServedProvider & {
  /** As CLOUDFLARE_BASE_URL has it. */
  baseUrl: string;
  accountId: string;
  apiToken: string;
  videos: Video[];
  videoOf: (generation: string) => Video;
  /** The original is fetched, as Cloudflare does it: HEAD, then a part. The video goes on or fails accordingly. */
  fetchOriginal: (generation: string) => Promise<void>;
  encode: (generation: string, percent: string) => void;
  /** One quality can be played, the others are still being made. */
  makePlayable: (generation: string, percent: string, state?: string) => void;
  finish: (generation: string) => void;
  fail: (generation: string, code: string, text: string) => void;
};

const accountId = '023e105f4ecef8ad9ca31a8372d0c353';
const apiToken = 'cloudflare-api-token-for-tests';
const home = `/client/v4/accounts/${accountId}/stream`;

export async function cloudflareStandIn(): Promise<CloudflareStandIn> {
  const videos: Video[] = [];
  const server: ServedProvider = await serveProvider((request) => answer(request, videos, server.url));
  const videoOf = (generation: string): Video => {
    const found = videos.find(({ creator }) => creator === generation);
    if (!found) throw new Error(`Cloudflare has no video of ${generation}`);
    return found;
  };
  const set = (generation: string, status: Status, readyToStream: boolean): void =>
    void Object.assign(videoOf(generation), { status, readyToStream });
  const fail: CloudflareStandIn['fail'] = (generation, errorReasonCode, errorReasonText) =>
    set(
      generation,
      { state: 'error', step: 'encoding', pctComplete: '39', errorReasonCode, errorReasonText },
      false,
    );
  return {
    ...server,
    baseUrl: `${server.url}/client/v4`,
    accountId,
    apiToken,
    videos,
    videoOf,
    fail,
    async fetchOriginal(generation) {
      const url = videoOf(generation).meta['downloaded-from'];
      const head = await fetch(url, { method: 'HEAD' });
      const part = await fetch(url, { headers: { Range: 'bytes=0-9' } });
      if (head.ok && part.ok) set(generation, { state: 'queued' }, false);
      else fail(generation, 'ERR_FETCH_ORIGIN_ERROR', 'The video failed to download from the URL.');
    },
    encode: (generation, pctComplete) =>
      set(generation, { state: 'inprogress', step: 'encoding', pctComplete }, false),
    makePlayable: (generation, pctComplete, state = 'inprogress') =>
      set(generation, { state, step: 'encoding', pctComplete }, true),
    finish: (generation) =>
      set(
        generation,
        { state: 'ready', pctComplete: '100.000000', errorReasonCode: '', errorReasonText: '' },
        true,
      ),
  };
}

function answer(request: ProviderRequest, videos: Video[], url: string): ProviderAnswer {
  const { method, path, query, headers } = request;
  if (method === 'GET' && path.endsWith('.m3u8'))
    return { status: 200, type: 'application/x-mpegURL', body: masterPlaylist };
  if (headers.authorization !== `Bearer ${apiToken}`) return refusal(401, 10_000, 'Authentication error');
  if (!path.startsWith(home)) return refusal(404, 7003, 'Could not route to the path');
  if (path === home && method === 'GET') {
    const creator = query.get('creator');
    return success(videos.filter((video) => creator === null || video.creator === creator));
  }
  if (path === `${home}/copy` && method === 'POST') return copy(request, videos, url);
  const place = videos.findIndex(({ uid }) => path === `${home}/${uid}`);
  if (place === -1) return refusal(404, 10_003, 'Not Found: The requested video was not found');
  if (method !== 'DELETE') return success(videos[place]);
  videos.splice(place, 1);
  // Without a body, whatever the request's Accept says.
  return { status: 200, body: '' };
}

function copy({ body, headers }: ProviderRequest, videos: Video[], url: string): ProviderAnswer {
  if (headers['content-type'] !== 'application/json') return refusal(415, 10_005, 'Unsupported media type');
  if (!URL.canParse(body.url)) return refusal(400, 10_005, 'Bad Request: The URL is not valid');
  if (body.creator?.length > 64) return refusal(400, 10_005, 'Bad Request: creator is too long');
  const uid = randomBytes(16).toString('hex');
  const now = new Date().toISOString();
  const video = {
    uid,
    creator: body.creator ?? null,
    thumbnail: `${url}/${uid}/thumbnails/thumbnail.jpg`,
    readyToStream: false,
    status: { state: 'downloading' },
    meta: { 'downloaded-from': body.url, ...body.meta },
    created: now,
    modified: now,
    size: 0,
    duration: -1,
    input: { width: -1, height: -1 },
    playback: { hls: `${url}/${uid}/manifest/video.m3u8`, dash: `${url}/${uid}/manifest/video.mpd` },
    watermark: null,
  };
  videos.unshift(video);
  return success(video);
}

function success(result: unknown): ProviderAnswer {
  return { status: 200, body: { result, success: true, errors: [], messages: [] } };
}

function refusal(status: number, code: number, message: string): ProviderAnswer {
  return { status, body: { result: null, success: false, errors: [{ code, message }], messages: [] } };
}

export function cloudflareWebhook(creator: string | null, signing: Signing): WebhookCall {
  const body = JSON.stringify({
    uid: randomBytes(16).toString('hex'),
    creator,
    readyToStream: true,
    status: { state: 'ready', pctComplete: '39.000000', errorReasonCode: '', errorReasonText: '' },
    meta: { name: 'film' },
    created: new Date().toISOString(),
  });
  const { time, signature } = sign(body, signing);
  return {
    body,
    headers: { 'Content-Type': 'application/json', 'Webhook-Signature': `time=${time},sig1=${signature}` },
  };
}
