// A library that is higher than the window, in a real browser: what is fetched of it, and what is to be seen.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { newAccount } from '../support/accounts.ts';
import { browserPath, launchBrowser } from '../support/browser.ts';
import { assertNoFaults, dashboardIsMissing, openPage } from '../support/dashboard.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

const objects = 420;
const uploadsAtOnce = 6;
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

  test('fetches the pictures where it rests, not those that passed', async () => {
    const dashboard = await openPage(browser);
    const { page } = dashboard;
    const fetched = new Set<string>();
    page.on('request', (request) => request.url().endsWith('.webp') && fetched.add(request.url()));
    await page.goto(server.url);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    const tiles = page.getByRole('list', { name: 'Objects' }).getByRole('listitem');
    await tiles.first().getByRole('img').waitFor();
    await page.evaluate(scrollFast);
    const last = page.locator(`[aria-posinset="${objects}"]`).getByRole('img');
    await last.waitFor();
    await last.evaluate('(image) => image.decode()');
    assert.ok(fetched.size < objects / 2, `${fetched.size} of ${objects} were fetched`);
    assert.ok((await tiles.count()) < objects / 4, 'tiles exist only near the window');
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
    await page
      .locator(`[aria-posinset="${objects / 2}"]`)
      .getByRole('img')
      .waitFor();
    assertNoFaults(dashboard);
    await dashboard.close();
  });
});
