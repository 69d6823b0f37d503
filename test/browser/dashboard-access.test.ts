// For everyone: what axe finds, the order of the keyboard, and how much has to be loaded before anything is seen.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { browserPath, launchBrowser } from '../support/browser.ts';
import { dashboardIsMissing, openPage, signIn } from '../support/dashboard.ts';
import { untilStatus, uploadFilm } from '../support/film-server.ts';
import { makeFilm } from '../support/films.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const maxFirstScriptBytes = 150 * 1024;

describe('the dashboard, for everyone', { skip: dashboardIsMissing() }, () => {
  let server: TestServer;
  let browser: Browser;
  let filmId: string;
  before(async () => {
    server = await startServer();
    browser = await launchBrowser(browserPath() as string);
    await server.upload(await picture(300, 200), { object: 'coast', tags: 'sea,land', folder: 'a' });
    ({ object_id: filmId } = await uploadFilm(
      server,
      makeFilm({ seconds: 2, width: 160, height: 90, gop: 25 }),
    ));
    await untilStatus(server, filmId, 'ready');
  });
  after(async () => {
    await browser.close();
    await server.stop();
  });

  /** What axe finds serious or worse. */
  async function faultsIn(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    const { violations } = await page.evaluate<{ violations: any[] }>('axe.run()');
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }: { html: string }) => `${id}: ${html.slice(0, 150)}`));
  }

  for (const colorScheme of ['dark', 'light'] as const) {
    test(`axe finds nothing serious, in ${colorScheme}, on a screen and on a phone`, async () => {
      const opened = await openPage(browser, { colorScheme });
      await opened.page.goto(server.url);
      await opened.page.getByLabel('API key').waitFor();
      assert.deepEqual(await faultsIn(opened.page), [], 'sign-in');
      await opened.close();
      const dashboard = await signIn(browser, server, { colorScheme });
      const { page } = dashboard;
      const pages: [string, string][] = [
        ['/', 'Library'],
        ['/?q=boats', 'Search by description is off'],
        ['/?type=image&tag=nothing', 'Nothing passes this filter'],
        ['/dashboard/upload', 'Drop pictures and films here'],
        ['/dashboard/objects/coast', 'Transform'],
        [`/dashboard/objects/${filmId}`, 'Full screen'],
      ];
      for (const size of [
        { width: 1280, height: 900 },
        { width: 390, height: 844 },
      ]) {
        await page.setViewportSize(size);
        for (const [path, text] of pages) {
          await page.goto(server.url + path);
          await page.getByText(text).first().waitFor();
          assert.deepEqual(await faultsIn(page), [], `${path} at ${size.width}`);
          const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
          assert.ok(wide <= size.width, `${path} is ${wide} wide at ${size.width}`);
        }
      }
      await page.goto(server.url);
      await page.getByRole('checkbox').first().click();
      await page.getByRole('button', { name: 'Delete …' }).click();
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await faultsIn(page), [], 'the question before deleting');
      await dashboard.close();
    });
  }

  test('by keyboard alone: skip, search, filters, tile, selection', async () => {
    const dashboard = await signIn(browser, server);
    const { page } = dashboard;
    await page.getByText('2 objects').waitFor();
    await page.goto(server.url);
    await page.getByText('2 objects').waitFor();
    const names: string[] = [];
    for (let step = 0; step < 20 && !names.at(-1)?.startsWith('Select'); step += 1) {
      await page.keyboard.press('Tab');
      names.push(
        await page.evaluate<string>(
          `(() => { const { activeElement: e } = document; const r = e.getBoundingClientRect();
            if (r.width === 0) throw new Error('an invisible element has the focus');
            return e.getAttribute('aria-label') ?? e.querySelector('img')?.alt ?? e.textContent; })()`,
        ),
      );
    }
    const wanted = [
      'Library',
      'Upload',
      'Sign out',
      'Search by describing',
      'Type',
      'Folder',
      'Filter by tag',
    ];
    const places = wanted.map((name) => names.indexOf(name));
    assert.ok(
      places.every((place) => place >= 0),
      names.join(' | '),
    );
    assert.deepEqual(
      places,
      places.toSorted((one, other) => one - other),
      names.join(' | '),
    );
    await page.keyboard.press('Space');
    await page.getByText('1 object selected').waitFor();
    await dashboard.close();
  });

  test('the first load is small; player and uploader come when they are needed', async () => {
    const opened = await openPage(browser);
    const { page } = opened;
    const line = await page.context().newCDPSession(page);
    await line.send('Network.enable');
    const types = new Map<string, string>();
    let scriptBytes = 0;
    line.on('Network.responseReceived', ({ requestId, response }) => types.set(requestId, response.mimeType));
    line.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (types.get(requestId)?.includes('javascript')) scriptBytes += encodedDataLength;
    });
    await page.goto(server.url);
    await page.getByLabel('API key').fill('operator-key-for-tests-000000');
    await page.keyboard.press('Enter');
    await page.getByText('2 objects').waitFor();
    assert.ok(scriptBytes > 10_000 && scriptBytes <= maxFirstScriptBytes, `${scriptBytes} bytes of script`);
    await opened.close();
  });

  test('three clicks to the first upload', async () => {
    await using empty = await startServer();
    const dashboard = await signIn(browser, empty);
    const { page } = dashboard;
    await page.getByRole('link', { name: 'Upload the first one' }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    // The third is in the window of the system.
    await (
      await chooser
    ).setFiles({ name: 'first.jpg', mimeType: 'image/jpeg', buffer: await picture(60, 40) });
    await page.getByText('1 file uploaded.').waitFor();
    await dashboard.close();
  });
});
