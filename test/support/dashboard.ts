// The dashboard in a real browser: signed in, with everything it complains of kept.
import assert from 'node:assert/strict';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { browserPath } from './browser.ts';
import { operatorKey, type TestServer } from './server.ts';

/** Why nothing can be tried, or false. That it is not built is no reason: then everything here fails. */
export function dashboardIsMissing(): string | false {
  return browserPath() === null && 'NO CHROMIUM IS INSTALLED: nothing of the dashboard was tried';
}

export type DashboardPage = {
  page: Page;
  /** What went wrong in the page itself; that a request was refused is not a fault of the page. */
  faults: string[];
  close(): Promise<void>;
};

export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<DashboardPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    const isRefusedRequest = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isRefusedRequest) faults.push(message.text());
  });
  return { page, faults, close: () => context.close() };
}

export async function signIn(
  browser: Browser,
  server: TestServer,
  { key = operatorKey, path = '/', ...options }: BrowserContextOptions & { key?: string; path?: string } = {},
): Promise<DashboardPage> {
  const opened = await openPage(browser, options);
  const { page } = opened;
  await page.goto(server.url + path);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
  return opened;
}

/** Files as if they were dragged from a folder onto the page. */
export async function dropFiles(
  page: Page,
  files: readonly { name: string; type: string; bytes: Buffer }[],
): Promise<void> {
  const sent = files.map(({ name, type, bytes }) => ({ name, type, base64: bytes.toString('base64') }));
  const transfer = await page.evaluateHandle((given) => {
    const { DataTransfer, File, Uint8Array: Bytes, atob } = globalThis as any;
    const data = new DataTransfer();
    for (const { name, type, base64 } of given)
      data.items.add(new File([Bytes.from(atob(base64), (c: string) => c.charCodeAt(0))], name, { type }));
    return data;
  }, sent);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

export function assertNoFaults({ faults }: DashboardPage): void {
  assert.deepEqual(faults, []);
}
