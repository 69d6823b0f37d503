// What happens to the open page when something around it goes wrong, and what hostile names do to it: nothing is lost,
// nothing runs, and whatever happened is said in plain words.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { newAccount, newKey, sendJson } from '../support/accounts.ts';
import { browserPath, launchBrowser } from '../support/browser.ts';
import { assertNoFaults, dashboardIsMissing, signIn } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { startDescribedPictures } from '../support/search-server.ts';
import { startServer, type TestServer } from '../support/server.ts';

const hostile = `"><img src=x onerror="window.ran=1"><script>window.ran=1</script>`;

describe('the dashboard, when something goes wrong', { skip: dashboardIsMissing() }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser(browserPath() as string);
  });
  after(() => browser.close());

  test('a key that is revoked leads back to the sign-in, which says so; another goes on where it was', async () => {
    await using server = await startServer();
    const account = await newAccount(server);
    await server.upload(await picture(60, 40), { object: 'kept' }, { key: account.api_key });
    const { key_id: keyId, api_key: key } = await newKey(server, account.api_key, {});
    const dashboard = await signIn(browser, server, { key, path: '/dashboard/objects/kept' });
    const { page } = dashboard;
    await page.getByRole('heading', { name: 'Transform' }).waitFor();
    await server.json(`/keys/${keyId}`, { method: 'DELETE', key: account.api_key });
    await page.getByRole('link', { name: 'Library' }).click();
    await page.getByText('Your session has ended, or its key was revoked').waitFor();
    await page.getByLabel('API key').fill(account.api_key);
    await page.keyboard.press('Enter');
    await page.getByText('1 object').waitFor();
    assertNoFaults(dashboard);
    await dashboard.close();
  });

  test('a session that ends in the middle of an upload loses none of it', async () => {
    await using server = await startServer();
    const account = await newAccount(server);
    const dashboard = await signIn(browser, server, { key: account.api_key, path: '/dashboard/upload' });
    const { page } = dashboard;
    await page.getByRole('heading', { name: 'Upload' }).waitFor();
    await page.context().clearCookies();
    await page.getByLabel('Files to upload').setInputFiles({
      name: 'coast.jpg',
      mimeType: 'image/jpeg',
      buffer: await picture(60, 40),
    });
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('API key').fill(account.api_key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Try again: coast.jpg' }).click();
    await page.getByText('1 file uploaded.').waitFor();
    assertNoFaults(dashboard);
    await dashboard.close();
  });

  test('a service that restarts under the page is waited for', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tintype-restarted-'));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const first = await startServer({}, { dataDir });
    const account = await newAccount(first);
    await first.upload(await picture(60, 40), { object: 'kept' }, { key: account.api_key });
    const dashboard = await signIn(browser, first, { key: account.api_key });
    const { page } = dashboard;
    await page.getByText('1 object').waitFor();
    await first.stop();
    await page.getByLabel('Filter by tag').fill('none');
    await page.keyboard.press('Enter');
    await page.getByText('The service does not answer at present').waitFor();
    const { port, origin } = new URL(first.url);
    await using second = await startServer({ PORT: port, BASE_URL: origin }, { dataDir });
    await page.getByText('Nothing passes this filter').waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await page.getByText('1 object').waitFor();
    assert.equal(await page.getByText('The service does not answer').count(), 0);
    assert.ok(second.url);
    assertNoFaults(dashboard);
    await dashboard.close();
  });

  test('a page that is opened while the service is away comes when it is back, whatever was just typed', async () => {
    await using server = await startServer();
    const dashboard = await signIn(browser, server);
    const { page } = dashboard;
    await page.getByText('Nothing here yet').waitFor();
    let isAway = true;
    let asked = 0;
    await page.route(/account-page|health/, (route) => {
      asked += 1;
      return isAway ? route.abort() : route.continue();
    });
    await page.getByLabel('Search by describing').pressSequentially('boats');
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.getByText('Loading the page').waitFor();
    // Asked again, and longer than a search waits for the next letter.
    await eventually(() => assert.ok(asked > 3), 30_000);
    assert.equal(new URL(page.url()).pathname, '/dashboard/account');
    isAway = false;
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
    assertNoFaults(dashboard);
    await dashboard.close();
  });

  test('an object that was deleted meanwhile, and an address that never was one', async () => {
    await using server = await startServer();
    const dashboard = await signIn(browser, server, { path: '/dashboard/objects/nothing' });
    const { page } = dashboard;
    await page.getByText('There is no object nothing').waitFor();
    await page.goto(`${server.url}/dashboard/no-such-page`);
    await page.getByRole('heading', { name: 'Library' }).waitFor();
    assertNoFaults(dashboard);
    await dashboard.close();
  });

  test('hostile names, captions and tags are shown and never run', async () => {
    await using pictures = await startDescribedPictures();
    const { server } = pictures;
    const account = await pictures.account();
    const key = account.api_key;
    await account.add('hostile', `Boats ${hostile}`, { folder: hostile }, `${hostile}.jpg`);
    await server.json('/update/hostile', {
      ...sendJson('POST', { tags: [hostile], folder: hostile.replaceAll('/', '') }),
      key,
    });
    await account.analysed(1, 30_000);
    const dashboard = await signIn(browser, server, { key });
    const { page } = dashboard;
    for (const path of [
      '/',
      '/?q=boats',
      `/?tag=${encodeURIComponent(hostile)}`,
      '/dashboard/objects/hostile',
    ]) {
      await page.goto(server.url + path);
      await page.locator('main img').first().waitFor();
    }
    for (const language of ['React', 'Markdown', 'HTML'])
      await page.getByRole('tab', { name: language }).click();
    const snippet = (await page.getByRole('tabpanel').textContent()) ?? '';
    assert.doesNotMatch(snippet, /<script|onerror="/);
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('dialog').waitFor();
    assert.equal(await page.evaluate('window.ran'), undefined);
    assertNoFaults(dashboard);
    await dashboard.close();
  });

  test('the page’s policy lets nothing of another origin in, and no script but its own', async () => {
    await using server: TestServer = await startServer({ FILES_URL: 'http://127.0.0.1:9/files' });
    const { headers } = await server
      .json('/', { key: null })
      .catch(async () => server.call('/', { key: null }));
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' http:\/\/127\.0\.0\.1:9/,
    );
    assert.match(policy, /frame-ancestors 'none'/);
  });
});
