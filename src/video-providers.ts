// Who can make streams, by name: this machine, and every service elsewhere whose credentials are set, also those that new
// films no longer go to, so that what is there can be finished and deleted.
import type { GuardedFetch } from './platform/egress/guarded-fetch.ts';
import type { Config } from './config.ts';
import { createCloudflareProvider } from './videos/cloudflare/cloudflare-provider.ts';
import { createMuxProvider } from './videos/mux/mux-provider.ts';
import type { VideoProvider } from './videos/provider.ts';

export type VideoProviders = { all: ReadonlyMap<string, VideoProvider>; current: VideoProvider };

export function openVideoProviders(
  config: Config,
  local: VideoProvider,
  guardedFetch: GuardedFetch,
): VideoProviders {
  const { mux, cloudflare } = config.videoProviders;
  const providers = [
    local,
    ...(mux ? [createMuxProvider({ ...mux, guardedFetch })] : []),
    ...(cloudflare ? [createCloudflareProvider({ ...cloudflare, guardedFetch })] : []),
  ];
  const all = new Map(providers.map((provider) => [provider.name, provider]));
  return { all, current: all.get(config.VIDEO_PROVIDER) ?? local };
}
