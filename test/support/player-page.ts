// A page with hls.js and a video element, served from an origin of its own as a customer's would be, and what a test asks
// of it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';

const library = join(dirname(createRequire(import.meta.url).resolve('hls.js')), 'hls.min.js');
const html = `<!doctype html><title>Player</title><video muted playsinline width="640"></video>
<script src="/hls.js"></script>`;

export async function servePlayer(): Promise<{ url: string } & AsyncDisposable> {
  const script = readFileSync(library);
  const server = createServer(({ url }, response) => {
    const isScript = url === '/hls.js';
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? script : html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type Played = {
  duration: number;
  endedAt: number;
  frames: number;
  /** Heights of all levels, and of those that were shown, in their order. */
  levels: number[];
  shown: number[];
  hasSound: boolean;
  errors: string[];
};

/** Plays a stream from its beginning to its end, and goes to the next level half-way. */
export function play(page: Page, url: string): Promise<Played> {
  return page.evaluate(playInPage, url);
}

/** Runs in the browser, so it can use nothing from here. */
async function playInPage(url: string): Promise<Played> {
  const { Hls, document } = globalThis as any;
  const video = document.querySelector('video');
  const hls = new Hls({ startLevel: 0, capLevelToPlayerSize: false, maxBufferLength: 1 });
  const played: any = { shown: [], errors: [] };
  hls.on(Hls.Events.ERROR, (_: unknown, data: any) => {
    // A stall while a busy machine decodes is mended by itself.
    if (data.fatal || data.details !== 'bufferStalledError') played.errors.push(String(data.details));
  });
  hls.on(Hls.Events.FRAG_CHANGED, (_: unknown, { frag }: any) => {
    const { height } = hls.levels[frag.level];
    if (played.shown.at(-1) !== height) played.shown.push(height);
  });
  hls.loadSource(url);
  hls.attachMedia(video);
  await new Promise<void>((resolve, reject) => {
    hls.once(Hls.Events.MANIFEST_PARSED, () => {
      hls.currentLevel = 0;
      video.playbackRate = 2.5;
      void video.play();
    });
    video.addEventListener('timeupdate', () => {
      if (video.currentTime > video.duration / 2 && hls.levels.length > 1)
        hls.nextLevel = hls.levels.length - 1;
    });
    video.addEventListener('ended', () => resolve());
    setTimeout(
      () => reject(new Error(`stopped at ${video.currentTime} of ${video.duration}: ${played.errors}`)),
      30_000,
    );
  });
  const result = {
    ...played,
    duration: video.duration,
    endedAt: video.currentTime,
    frames: video.getVideoPlaybackQuality().totalVideoFrames,
    levels: hls.levels.map(({ height }: any) => height),
    hasSound: hls.audioTracks.length > 0 || hls.levels[0].audioCodec !== undefined,
  };
  hls.destroy();
  return result;
}
