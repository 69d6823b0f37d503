// The main pages look as they were last looked at by a person: test/browser/screenshots/ holds them, and
// UPDATE_SCREENSHOTS=1 takes them anew.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { lumaOf, ssim } from '../../bench/support/ssim.ts';
import { browserPath, launchBrowser } from '../support/browser.ts';
import { dashboardIsMissing } from '../support/dashboard.ts';
import { fillScenes, scenes, screenshot } from '../support/dashboard-scenes.ts';
import { eventually } from '../support/eventually.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { waitingJobs } from '../support/waiting-jobs.ts';

const folder = join(import.meta.dirname, 'screenshots');
const isUpdating = process.env['UPDATE_SCREENSHOTS'] === '1';
/** Small enough that other fonts and times of day do not count, large enough for whatever is out of place. */
const comparedWidth = 320;
const leastLikeness = 0.9;

describe('the look of the dashboard', { skip: dashboardIsMissing() }, () => {
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    server = await startServer();
    browser = await launchBrowser(browserPath() as string);
    await fillScenes(server);
    await eventually(async () => {
      assert.deepEqual(await waitingJobs(server.app.core.database).execute(), []);
    }, 60_000);
    mkdirSync(folder, { recursive: true });
  });
  after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const scene of scenes) {
    for (const colorScheme of ['dark', 'light'] as const) {
      for (const width of [1280, 390]) {
        const name = `${scene.name}-${colorScheme}-${width}.webp`;
        test(name, async () => {
          const png = await screenshot(browser, server, scene, { colorScheme, width, height: 844 });
          const file = join(folder, name);
          if (isUpdating) writeFileSync(file, await sharp(png).webp({ quality: 80 }).toBuffer());
          assert.ok(
            existsSync(file),
            `${name} is missing: UPDATE_SCREENSHOTS=1 npm test -- test/browser/dashboard-look`,
          );
          const likeness = ssim(await compared(png), await compared(file));
          assert.ok(likeness >= leastLikeness, `${name}: likeness ${likeness.toFixed(3)}`);
        });
      }
    }
  }
});

async function compared(picture: Buffer | string) {
  const small = sharp(picture).resize(comparedWidth).removeAlpha().raw();
  const { data, info } = await small.toBuffer({ resolveWithObject: true });
  return lumaOf(data, info.width, info.height);
}
