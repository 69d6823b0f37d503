// A library that is higher than the window, in a real browser: what is fetched of it, and what is to be seen.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { newAccount } from '../support/accounts.ts';
import { browserPath, launchBrowser } from '../support/browser.ts';
import { assertNoFaults, dashboardIsMissing, type DashboardPage, signIn } from '../support/dashboard.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

const objects = 420;
const uploadsAtOnce = 6;
/** In a window of 1280 pixels. */
const columns = 7;
const rowsDown = 30;
const keyRepeatMs = 10;
/** More than anybody can look at, slow enough for a page to keep up. */
const scrollFast = `new Promise((resolve) => {
  const step = () => {
    if (scrollY + innerHeight >= document.documentElement.scrollHeight - 1) return resolve();
    scrollBy(0, innerHeight / 2);
    setTimeout(step, 50);
  };
  step();
})`;

describe('a library that is higher than the window', { skip: dashboardIsMissing() }, () => {
  let server: TestServer;
  let browser: Browser;
  let key: string;
  let dashboard: DashboardPage | undefined;
  const tilesOf = (page: Page) => page.getByRole('list', { name: 'Objects' }).getByRole('listitem');
  const open = async (): Promise<DashboardPage> => {
    dashboard = await signIn(browser, server, { key });
    await tilesOf(dashboard.page).first().getByRole('img').waitFor();
    return dashboard;
  };

  before(async () => {
    server = await startServer();
    browser = await launchBrowser(browserPath() as string);
    ({ api_key: key } = await newAccount(server));
    const file = await picture(40, 30);
    const uploaded = Array.from({ length: uploadsAtOnce }, async (_, worker) => {
      for (let index = worker; index < objects; index += uploadsAtOnce) {
        const { status } = await server.upload(file, { object: `p-${index}` }, { key });
        assert.equal(status, 200);
      }
    });
    await Promise.all(uploaded);
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  afterEach(async () => {
    if (!dashboard) return;
    assertNoFaults(dashboard);
    await dashboard.close();
  });

  test('fetches the pictures where it rests, not those that passed', async () => {
    const { page } = await open();
    const fetched = new Set<string>();
    page.on('request', (request) => request.url().endsWith('.webp') && fetched.add(request.url()));
    await page.evaluate(scrollFast);
    const last = page.locator(`[aria-posinset="${objects}"]`).getByRole('img');
    await last.waitFor();
    await last.evaluate('(image) => image.decode()');
    assert.ok(fetched.size < objects / 2, `${fetched.size} of ${objects} were fetched`);
    assert.ok((await tilesOf(page).count()) < objects / 4, 'tiles exist only near the window');
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
    await page
      .locator(`[aria-posinset="${objects / 2}"]`)
      .getByRole('img')
      .waitFor();
  });

  test('is walked through by a key that is held down', async () => {
    const { page } = await open();
    await page.locator('[data-tile]').first().focus();
    const focused = (): Promise<number> =>
      page.evaluate(`Number(document.activeElement.closest('[data-index]')?.dataset.index)`);
    const wanted = rowsDown * columns;
    let presses = 0;
    for (; (await focused()) !== wanted && presses < 3 * rowsDown; presses += 1) {
      await page.keyboard.down('ArrowDown');
      await page.waitForTimeout(keyRepeatMs);
    }
    assert.equal(await focused(), wanted, `${presses} times pressed`);
    assert.ok(await page.locator(':focus').isVisible());
  });
});
