// The dashboard in a real browser: how much script its first load brings, and whether scrolling through a million objects
// ever keeps the page's main thread busy for long, by Chromium's own trace.
import { constants, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { browserPath, launchBrowser } from '../test/support/browser.ts';
import { filledLibrary } from './fill-library.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { longestTask } from './support/browser-trace.ts';
import { atMost, type Scenario } from './support/report.ts';
import { operatorKey, startService } from './support/service.ts';
import { startThumbnailFront } from './support/thumbnail-front.ts';

/** Looking at the pictures that come, then past them to somewhere below. */
const wheelTurns = [
  { steps: 100, pixels: 50 },
  { steps: 150, pixels: 400 },
];
const jumps = 20;

export const dashboard: Scenario = async () => {
  const executable = browserPath();
  if (executable === null) return [{ what: 'NO CHROMIUM IS INSTALLED: nothing was measured', value: '–' }];
  using folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  mkdirSync(dataDir);
  copyFileSync(await filledLibrary(), join(dataDir, 'tintype.db'), constants.COPYFILE_FICLONE);
  await using front = await startThumbnailFront();
  await using service = await startService({ dataDir, jobs: false, environment: { BASE_URL: front.url } });
  front.passOnTo(service.port);
  const browser = await launchBrowser(executable);
  try {
    const page = await openLibrary(browser, front.url);
    const firstScriptBytes = await page.evaluate<number>(
      `performance.getEntriesByType('resource').filter(({ initiatorType }) => initiatorType === 'script' || initiatorType === 'link')
        .filter(({ name }) => name.endsWith('.js')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    const task = await longestTask(browser, page, () => scrollAbout(page));
    const tiles = await page.getByRole('listitem').count();
    return [
      atMost('script of the first load, compressed', firstScriptBytes / 1024, 150, ' KB'),
      atMost('scrolling 1,000,000 objects: longest task of the main thread', task.wallMs, 50, ' ms'),
      atMost('  most that one of them computes', task.cpuMs, 50, ' ms'),
      { what: '  tiles in the page', value: String(tiles) },
    ];
  } finally {
    await browser.close();
  }
};

async function openLibrary(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(url);
  await page.getByLabel('API key').fill(operatorKey);
  await page.keyboard.press('Enter');
  await page.getByText('1,000,000 objects').waitFor();
  await page.getByRole('listitem').first().getByRole('img').waitFor();
  return page;
}

/** By the wheel as a person does, then by the bar to far away, until the pictures there have come. */
async function scrollAbout(page: Page): Promise<void> {
  await page.mouse.move(640, 600);
  for (const { steps, pixels } of wheelTurns)
    for (let step = 0; step < steps; step += 1) {
      await page.mouse.wheel(0, pixels);
      await page.waitForTimeout(16);
    }
  for (let jump = 1; jump <= jumps; jump += 1) {
    await page.evaluate(
      `scrollTo(0, document.documentElement.scrollHeight * ${(jump * 7) % jumps} / ${jumps})`,
    );
    await page.waitForTimeout(100);
    await page.evaluate(pictureInTheMiddle);
  }
}

/** At one of two heights, since one may lie between two tiles. */
const pictureInTheMiddle = `new Promise((resolve) => {
  const isThere = (image) => image?.matches('img') && image.complete;
  const look = () =>
    [450, 470].some((y) => isThere(document.elementFromPoint(640, y))) ? resolve() : setTimeout(look, 50);
  look();
})`;
