// What Cloudflare Stream says of a video, in our words.
import { type Asset, type AssetProgress, nonsense } from '../elsewhere/streaming-service.ts';

type Status = Record<string, unknown>;

export function readCloudflareVideo(given: unknown): Asset {
  const { uid, status, readyToStream, playback } = (given ?? {}) as Record<string, unknown>;
  if (typeof uid !== 'string' || !uid || typeof status !== 'object' || status === null)
    throw nonsense('Cloudflare Stream');
  if ((status as Status)['state'] === 'error') return { id: uid, progress: faultOf(status as Status) };
  const percent = percentOf(status as Status);
  if (readyToStream !== true) return { id: uid, progress: { kind: 'working', percent } };
  const url = playlistIn(playback);
  const isWhole = (status as Status)['state'] === 'ready' && (percent === null || percent >= 100);
  return { id: uid, progress: isWhole ? { kind: 'ready', url } : { kind: 'playable', percent, url } };
}

function playlistIn(playback: unknown): string {
  const { hls } = (playback ?? {}) as { hls?: unknown };
  const url = typeof hls === 'string' ? URL.parse(hls) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw nonsense('Cloudflare Stream');
  return url.href;
}

/** Their reference and their guide spell these names differently. */
function faultOf(status: Status): AssetProgress {
  const code = status['errorReasonCode'] ?? status['errReasonCode'];
  if (code === 'ERR_FETCH_ORIGIN_ERROR') return { kind: 'unfetched' };
  const text = status['errorReasonText'] ?? status['errReasonText'];
  return { kind: 'failed', reason: typeof text === 'string' ? text : '' };
}

/** A number written as text, or nothing. */
function percentOf(status: Status): number | null {
  const given = status['pctComplete'];
  const percent = given === undefined || given === null || given === '' ? Number.NaN : Number(given);
  return Number.isFinite(percent) ? percent : null;
}
