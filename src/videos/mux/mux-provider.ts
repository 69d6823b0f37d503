// Mux as the provider of streams: https://www.mux.com/docs/api-reference/video
import { createProviderElsewhere } from '../elsewhere/provider-elsewhere.ts';
import type { VideoProvider } from '../provider.ts';
import { createMuxService, type MuxOptions } from './mux-service.ts';

export function createMuxProvider(options: MuxOptions): VideoProvider {
  return createProviderElsewhere({ service: createMuxService(options), guardedFetch: options.guardedFetch });
}
