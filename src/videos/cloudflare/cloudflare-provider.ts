// Cloudflare Stream as the provider of streams: https://developers.cloudflare.com/stream/
import { createProviderElsewhere } from '../elsewhere/provider-elsewhere.ts';
import type { VideoProvider } from '../provider.ts';
import { type CloudflareOptions, createCloudflareService } from './cloudflare-service.ts';

export function createCloudflareProvider(options: CloudflareOptions): VideoProvider {
  return createProviderElsewhere({
    service: createCloudflareService(options),
    guardedFetch: options.guardedFetch,
  });
}
