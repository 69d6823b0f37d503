// Speaks Mux's HTTP API on loopback, as its reference describes it: assets are made, listed newest first, looked at and deleted,
// with HTTP basic authentication; webhooks are signed as Mux signs them.
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

type Asset = Record<string, any> & { id: string; passthrough?: string };

export type MuxStandIn = ServedProvider & {
  tokenId: string;
  tokenSecret: string;
  /** Newest first. */
  assets: Asset[];
  assetOf: (generation: string) => Asset;
  /** The original is fetched, as Mux does it; the asset goes on or fails accordingly. */
  fetchOriginal: (generation: string) => Promise<void>;
  transcode: (generation: string, percent: number) => void;
  finish: (generation: string) => void;
  fail: (generation: string, type: string, messages: string[]) => void;
  /** Assets that are none of ours. */
  addStrangers: (count: number, createdAtMs: number) => void;
};

const tokenId = '44c819de-0000-4c9f-b2e9-384a0a71bede';
const tokenSecret = 'mux-token-secret-for-tests';
const newId = (): string => randomBytes(24).toString('base64url');

export async function muxStandIn(): Promise<MuxStandIn> {
  const assets: Asset[] = [];
  const server = await serveProvider((request) => answer(request, assets));
  const assetOf = (generation: string): Asset => {
    const found = assets.find(({ passthrough }) => passthrough === generation);
    if (!found) throw new Error(`Mux has no asset of ${generation}`);
    return found;
  };
  const fail: MuxStandIn['fail'] = (generation, type, messages) =>
    void Object.assign(assetOf(generation), {
      status: 'errored',
      progress: { state: 'errored', progress: -1 },
      errors: { type, messages },
    });
  return {
    ...server,
    tokenId,
    tokenSecret,
    assets,
    assetOf,
    fail,
    async fetchOriginal(generation) {
      const { status } = await fetch(assetOf(generation).inputUrl);
      if (status !== 200) fail(generation, 'download_failed', ['The input could not be downloaded']);
    },
    transcode: (generation, percent) =>
      void (assetOf(generation).progress = { state: 'transcoding', progress: percent }),
    finish: (generation) =>
      void Object.assign(assetOf(generation), {
        status: 'ready',
        progress: { state: 'completed', progress: 100 },
        duration: 1.5,
        aspect_ratio: '16:9',
        resolution_tier: '720p',
      }),
    addStrangers: (count, createdAtMs) =>
      void assets.unshift(
        ...Array.from({ length: count }, () => newAsset({ passthrough: 'another' }, createdAtMs)),
      ),
  };
}

function answer(request: ProviderRequest, assets: Asset[]): ProviderAnswer {
  const { method, path, headers } = request;
  if (method === 'GET' && path.endsWith('.m3u8'))
    return { status: 200, type: 'application/x-mpegURL', body: masterPlaylist };
  const wanted = `Basic ${Buffer.from(`${tokenId}:${tokenSecret}`).toString('base64')}`;
  if (headers.authorization !== wanted) return refusal(401, 'unauthorized', 'Unauthorized request');
  if (path === '/video/v1/assets') return method === 'POST' ? create(request, assets) : list(request, assets);
  const place = assets.findIndex(({ id }) => path === `/video/v1/assets/${id}`);
  const asset = assets[place];
  if (!asset)
    return refusal(
      404,
      'not_found',
      'The requested asset either does not exist or you do not have access to it.',
    );
  if (method !== 'DELETE') return { status: 200, body: { data: shown(asset) } };
  assets.splice(place, 1);
  return { status: 204 };
}

function create({ body, headers }: ProviderRequest, assets: Asset[]): ProviderAnswer {
  if (!headers['content-type']?.startsWith('application/json'))
    return refusal(400, 'invalid_parameters', 'Unsupported content type');
  const url = body.inputs?.[0]?.url;
  if (!URL.canParse(url)) return refusal(400, 'invalid_parameters', `Invalid input url: ${url}`);
  const asset = newAsset(body, Date.now());
  assets.unshift(asset);
  return { status: 201, body: { data: shown(asset) } };
}

function newAsset(body: any, createdAtMs: number): Asset {
  return {
    id: newId(),
    created_at: String(Math.floor(createdAtMs / 1000)),
    status: 'preparing',
    progress: { state: 'ingesting', progress: 0 },
    passthrough: body.passthrough,
    playback_ids: (body.playback_policies ?? []).map((policy: string) => ({ id: newId(), policy })),
    master_access: 'none',
    max_resolution_tier: '1080p',
    encoding_tier: 'baseline',
    video_quality: 'basic',
    ingest_type: 'on_demand_url',
    inputUrl: body.inputs?.[0]?.url,
  };
}

function list({ query }: ProviderRequest, assets: Asset[]): ProviderAnswer {
  const limit = Number(query.get('limit') ?? 25);
  const start = Number(query.get('cursor') ?? 0);
  const next = start + limit;
  return {
    status: 200,
    body: {
      data: assets.slice(start, next).map(shown),
      next_cursor: next < assets.length ? String(next) : '',
    },
  };
}

function shown({ inputUrl: _inputUrl, ...asset }: Asset): object {
  return asset;
}

function refusal(status: number, type: string, message: string): ProviderAnswer {
  return { status, body: { error: { type, messages: [message] } } };
}

/** As Mux tells of an asset; `type` is the end of `video.asset.…`. */
export function muxWebhook(passthrough: string, signing: Signing, type = 'ready'): WebhookCall {
  const body = JSON.stringify({
    type: `video.asset.${type}`,
    id: newId(),
    created_at: new Date().toISOString(),
    object: { type: 'asset', id: newId() },
    environment: { name: 'Production', id: 'production' },
    data: { id: newId(), status: type, passthrough, created_at: Math.floor(Date.now() / 1000) },
    attempts: [],
  });
  const { time, signature } = sign(body, signing);
  return {
    body,
    headers: { 'Content-Type': 'application/json', 'Mux-Signature': `t=${time},v1=${signature}` },
  };
}
