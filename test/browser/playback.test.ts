import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { browserPath, launchBrowser } from '../support/browser.ts';
import { untilStatus, uploadFilm } from '../support/film-server.ts';
import { type FilmOptions, makeFilm } from '../support/films.ts';
import { play, servePlayer } from '../support/player-page.ts';
import { startServer, type TestServer } from '../support/server.ts';

const executable = browserPath();
const skip = executable === null && 'NO CHROMIUM IS INSTALLED: nothing was played';

type Case = FilmOptions & { name: string; levels: number[]; sound?: boolean };
/** Longer than two segments, so that a level can be changed on the way. */
const seconds = 9;
const cases: Case[] = [
  { name: 'H.264 and AAC in MP4', width: 1280, height: 720, levels: [480, 720] },
  { name: 'VP9 and Opus in WebM', container: 'webm', width: 426, height: 240, levels: [240] },
  { name: 'MPEG-4 in AVI', container: 'avi', width: 960, height: 540, levels: [480, 540] },
  { name: 'turned by 90°', width: 640, height: 360, rotation: 90, levels: [640] },
  { name: 'silent', audio: false, levels: [180], sound: false },
];

describe('in a browser, with hls.js', { skip }, () => {
  let server: TestServer;
  let browser: Browser;
  let player: Awaited<ReturnType<typeof servePlayer>>;
  before(async () => {
    server = await startServer();
    player = await servePlayer();
    browser = await launchBrowser(executable as string);
  });
  after(async () => {
    await browser.close();
    await player[Symbol.asyncDispose]();
    await server.stop();
  });

  for (const { name, levels, sound = true, ...film } of cases) {
    test(`a film plays to its end: ${name}`, async () => {
      const { object_id: id, video_url: url } = await uploadFilm(server, makeFilm({ ...film, seconds }));
      await untilStatus(server, id);
      const page = await browser.newPage();
      await page.goto(player.url);
      const played = await play(page, url);
      await page.close();
      assert.deepEqual(played.errors, []);
      assert.deepEqual(
        played.levels.toSorted((a, b) => a - b),
        levels,
      );
      assert.deepEqual(played.shown, levels, 'the level was changed on the way');
      assert.ok(Math.abs(played.duration - seconds) < 0.3, `${played.duration} s`);
      assert.ok(played.duration - played.endedAt < 0.1, `ended at ${played.endedAt}`);
      assert.ok(played.frames > seconds * 10, `${played.frames} frames`);
      assert.equal(played.hasSound, sound);
    });
  }
});
