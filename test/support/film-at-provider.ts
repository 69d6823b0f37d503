// A film on its way through a provider: keeps what the provider remembers, publishes and tells, and can be stopped and taken
// up again as a job is.
import { newGeneration } from '../../src/objects/object-keys.ts';
import type { Film, Stream, VideoProvider, Worked } from '../../src/videos/provider.ts';

export type FilmAtProvider = {
  film: Film;
  state: unknown;
  assetId(): unknown;
  published: Stream[];
  percents: number[];
  /** One run of the job. */
  work(
    provider: VideoProvider,
    options?: { remember?: () => Promise<void>; signal?: AbortSignal },
  ): Promise<Worked>;
};

export function filmAtProvider(originalUrl: string, generation = newGeneration()): FilmAtProvider {
  const film: Film = {
    generation,
    bucketId: 'bucket',
    objectId: 'vid-film',
    facts: {
      durationMs: 1500,
      width: 1280,
      height: 720,
      rotation: 0,
      frameRate: 25,
      videoCodec: 'h264',
      audioCodec: null,
      bitRate: 800_000,
    },
    type: 'video/mp4',
    originalUrl,
    localFile: () => Promise.reject(new Error('a provider elsewhere needs no local file')),
  };
  const at: FilmAtProvider = {
    film,
    state: null,
    assetId: () => (at.state as { assetId?: unknown } | null)?.assetId,
    published: [],
    percents: [],
    work: (provider, { remember, signal = new AbortController().signal } = {}) =>
      provider.work(film, at.state, {
        signal,
        progress: (percent) => void at.percents.push(percent),
        publish: async (stream) => void at.published.push(stream),
        remember: async (state) => {
          await remember?.();
          // As a database would keep it.
          at.state = JSON.parse(JSON.stringify(state));
        },
        keep: () => Promise.reject(new Error('a provider elsewhere keeps no files here')),
      }),
  };
  return at;
}
