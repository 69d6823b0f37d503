// What Mux says of an asset, in our words.
import { type Asset, type AssetProgress, nonsense } from '../elsewhere/streaming-service.ts';

/** Only what is used of it, and none of it believed before it was looked at. */
type MuxAsset = {
  id?: unknown;
  status?: unknown;
  progress?: { progress?: unknown };
  playback_ids?: { id?: unknown; policy?: unknown }[];
  errors?: { type?: unknown; messages?: unknown };
};

export function readMuxAsset(given: unknown, streamUrl: string): Asset {
  if (typeof given !== 'object' || given === null) throw nonsense('Mux');
  const asset = given as MuxAsset;
  if (typeof asset.id !== 'string' || !asset.id) throw nonsense('Mux');
  return { id: asset.id, progress: progressOf(asset, streamUrl) };
}

/** Mux makes qualities when somebody plays them: an asset that is ready has them all. */
function progressOf(asset: MuxAsset, streamUrl: string): AssetProgress {
  if (asset.status === 'errored') return faultOf(asset);
  if (asset.status === 'preparing') return { kind: 'working', percent: percentOf(asset) };
  const playbackId = asset.playback_ids?.find(({ policy }) => policy === 'public')?.id;
  if (asset.status !== 'ready' || typeof playbackId !== 'string') throw nonsense('Mux');
  return { kind: 'ready', url: `${streamUrl}/${encodeURIComponent(playbackId)}.m3u8` };
}

function faultOf({ errors }: MuxAsset): AssetProgress {
  if (typeof errors?.type === 'string' && errors.type.includes('download')) return { kind: 'unfetched' };
  const messages = Array.isArray(errors?.messages) ? errors.messages : [];
  return { kind: 'failed', reason: messages.filter((message) => typeof message === 'string').join('; ') };
}

/** -1 when there is nothing to tell. */
function percentOf({ progress }: MuxAsset): number | null {
  const percent = progress?.progress;
  return typeof percent === 'number' && percent >= 0 ? percent : null;
}
