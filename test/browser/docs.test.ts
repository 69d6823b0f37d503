// The documentation in a real browser: nothing breaks its policy, nothing is wider than a phone, and those who cannot see or point
// can read it.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { buildDocs } from '../../scripts/build-docs.ts';
import { docsRoutes } from '../../src/docs-routes.ts';
import { createHttpServer, type HttpApp } from '../../src/platform/http/http-server.ts';
import { createLog } from '../../src/platform/log.ts';
import { browserPath, launchBrowser } from '../support/browser.ts';

const executable = browserPath();
const skip = executable === null && 'NO CHROMIUM IS INSTALLED: the documentation was not looked at';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe('the documentation in a browser', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tintype-docs-'));
  let app: HttpApp;
  let browser: Browser;
  let url: string;
  before(async () => {
    await buildDocs(folder);
    app = createHttpServer({ log: createLog('silent') });
    docsRoutes(app, { folder });
    await app.listen({ port: 0, host: '127.0.0.1' });
    url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/docs`;
    browser = await launchBrowser(executable as string);
  });
  after(async () => {
    await browser.close();
    await app.close();
    rmSync(folder, { recursive: true });
  });

  for (const [colorScheme, width] of [
    ['dark', 390],
    ['light', 1400],
  ] as const)
    test(`${colorScheme}, ${width} pixels wide: every page fits, keeps its policy and can be used by everybody`, async () => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      for (const file of readdirSync(folder).filter((name) => name.endsWith('.html'))) {
        await page.goto(file === 'index.html' ? url : `${url}/${file.replace('.html', '')}`);
        assert.deepEqual(complaints, [], file);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, file);
        assert.deepEqual(await faultsOf(page), [], file);
      }
      await page.close();
    });

  test('a click copies code; on a phone the pages are behind a button', async () => {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    await page.goto(url);
    await page.locator('.code').first().hover();
    await page.locator('.copy').first().click();
    assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /^npm ci && npm start/);
    assert.equal(await page.locator('#pages').isVisible(), false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('#pages').getByRole('link', { name: 'Webhooks' }).click();
    assert.equal(await page.locator('h1').textContent(), 'Webhooks');
    await context.close();
  });
});

async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    'axe.run({ runOnly: ["wcag2a", "wcag2aa", "best-practice"] })',
  )) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
