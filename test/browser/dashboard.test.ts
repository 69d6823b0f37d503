// The dashboard as its users use it, in a real browser against a real service.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { newAccount } from '../support/accounts.ts';
import { browserPath, launchBrowser } from '../support/browser.ts';
import {
  assertNoFaults,
  dashboardIsMissing,
  type DashboardPage,
  dropFiles,
  openPage,
  signIn,
} from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { untilStatus, uploadFilm } from '../support/film-server.ts';
import { makeFilm } from '../support/films.ts';
import { picture } from '../support/pictures.ts';
import { type DescribedPictures, startDescribedPictures } from '../support/search-server.ts';

/** None of this is a promise about time; a browser beside a service takes some. */
const patienceMs = 30_000;

describe('the dashboard', { skip: dashboardIsMissing() }, () => {
  let pictures: DescribedPictures;
  let browser: Browser;
  const opened: DashboardPage[] = [];
  const open = async (key: string, path = '/'): Promise<Page> => {
    const dashboard = await signIn(browser, pictures.server, { key, path });
    opened.push(dashboard);
    return dashboard.page;
  };
  before(async () => {
    pictures = await startDescribedPictures({ UPLOAD_ALLOW_PRIVATE: 'on' });
    browser = await launchBrowser(browserPath() as string);
  });
  after(async () => {
    await browser.close();
    await pictures[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    for (const dashboard of opened.splice(0)) {
      assertNoFaults(dashboard);
      await dashboard.close();
    }
  });

  test('signs in with a key, and says what is wrong with another', async () => {
    const dashboard = await openPage(browser);
    opened.push(dashboard);
    const { page } = dashboard;
    await page.goto(pictures.server.url);
    await page.getByLabel('API key').fill('tt_nonsense');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('This key is not known here').waitFor();
    const { api_key: key } = await newAccount(pictures.server);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByText('Nothing here yet').waitFor();
    const cookies = await page.context().cookies();
    assert.deepEqual(
      cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
      [['tintype_session', true, 'Strict']],
    );
    assert.equal(await page.evaluate('document.cookie'), '');
    await page.reload();
    await page.getByText('Nothing here yet').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
  });

  test('asks no other host for anything', async () => {
    const { api_key: key } = await newAccount(pictures.server);
    await pictures.server.upload(await picture(300, 200), {}, { key });
    const dashboard = await openPage(browser);
    opened.push(dashboard);
    const hosts = new Set<string>();
    dashboard.page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await dashboard.page.goto(pictures.server.url);
    await dashboard.page.getByLabel('API key').fill(key);
    await dashboard.page.keyboard.press('Enter');
    await dashboard.page.getByRole('img', { name: 'picture.jpg' }).click();
    await dashboard.page.getByRole('heading', { name: 'Transform' }).waitFor();
    assert.deepEqual([...hosts].filter((host) => host !== '').toSorted(), [
      new URL(pictures.server.url).host,
    ]);
  });

  test('uploads what is dropped, with progress, and what is wrong among it spoils nothing', async () => {
    const { api_key: key } = await newAccount(pictures.server);
    const page = await open(key, '/dashboard/upload');
    await page.getByLabel('Tags for what is added').fill('harbour,');
    await page.getByLabel('Folder').fill('japan');
    const line = await page.context().newCDPSession(page);
    await line.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 400_000,
    });
    const large = Buffer.concat([await picture(640, 480), Buffer.alloc(800_000, 'x')]);
    await dropFiles(page, [
      { name: 'large.jpg', type: 'image/jpeg', bytes: large },
      { name: 'not really.jpg', type: 'image/jpeg', bytes: Buffer.from('hello') },
      { name: 'notes.txt', type: 'text/plain', bytes: Buffer.from('hello') },
      { name: 'small.jpg', type: 'image/jpeg', bytes: await picture(64, 48) },
    ]);
    const bar = page.getByRole('progressbar', { name: 'Upload of large.jpg' });
    await eventually(async () => {
      const sent = await bar.evaluate((element: any) => element.value / element.max);
      assert.ok(sent > 0 && sent < 1, `${sent} of it`);
    }, patienceMs);
    await page.getByText('2 files uploaded, 2 not.').waitFor();
    await page.getByText('This is not a supported image or video but text').waitFor();
    await page.getByText('“notes.txt” is not a picture or film').waitFor();
    const { body } = await pictures.server.json('/get/?tags=harbour&folder=japan&view=full', { key });
    assert.deepEqual(
      body.items.map((item: { original_file_name: string }) => item.original_file_name).toSorted(),
      ['large.jpg', 'small.jpg'],
    );
  });

  test('an upload pauses, goes on, and survives a line that is lost in the middle', async () => {
    const { api_key: key } = await newAccount(pictures.server);
    const page = await open(key, '/dashboard/upload');
    const line = await page.context().newCDPSession(page);
    const throttle = (offline: boolean) =>
      line.send('Network.emulateNetworkConditions', {
        offline,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: 300_000,
      });
    await throttle(false);
    const file = Buffer.concat([await picture(640, 480), Buffer.alloc(1_500_000, 'x')]);
    await page.getByLabel('Files to upload').setInputFiles({
      name: 'coast.jpg',
      mimeType: 'image/jpeg',
      buffer: file,
    });
    const bar = page.getByRole('progressbar', { name: 'Upload of coast.jpg' });
    const sent = (): Promise<number> => bar.evaluate((element: any) => Number(element.value));
    await eventually(async () => assert.ok((await sent()) > 0), patienceMs);
    await page.getByRole('button', { name: 'Pause: coast.jpg' }).click();
    await page.getByText('Paused,').waitFor();
    await page.getByRole('button', { name: 'Resume: coast.jpg' }).click();
    const lost = page.waitForEvent('requestfailed');
    await throttle(true);
    await lost;
    await throttle(false);
    await page.getByText('1 file uploaded.').waitFor();
    const { body } = await pictures.server.json('/get/?view=full', { key });
    const original = await pictures.server.call(body.items[0].original, { key: null });
    assert.deepEqual(Buffer.from(await original.arrayBuffer()), file);
  });

  test('finds by description, with scores and captions', async () => {
    const account = await pictures.account();
    await account.add('sailing', 'Boats on a calm sea.');
    await account.add('desert', 'Sand dunes under a hot sun.');
    await account.analysed(2, patienceMs);
    const page = await open(account.api_key);
    await page.getByLabel('Search by describing').fill('boats on the sea');
    const list = page.getByRole('list', { name: 'Found pictures' });
    await list.getByText('Boats on a calm sea.').waitFor();
    assert.match(
      (await list.getByRole('listitem').first().textContent()) ?? '',
      /^0\.\d\d Boats on a calm sea\.$/,
    );
  });

  test('without analysis the search says how to switch it on', async () => {
    const { api_key: key } = await newAccount(pictures.server);
    const page = await open(key, '/?q=boats');
    await page.getByText('Search by description is off').waitFor();
    assert.equal(
      await page.getByRole('link', { name: 'Set up analysis' }).getAttribute('href'),
      '/dashboard/account/ai',
    );
  });

  test('builds a transformation: live, with its bytes, its address and snippets', async () => {
    const { api_key: key } = await newAccount(pictures.server);
    const { body } = await pictures.server.upload(await picture(900, 600), { object: 'coast' }, { key });
    const page = await open(key, '/dashboard/objects/coast');
    await page.getByLabel('Width', { exact: true }).fill('120');
    await page.getByLabel('Height', { exact: true }).fill('90');
    await page.getByLabel('Format').selectOption('png');
    await page.getByText('Colours', { exact: true }).click();
    await page.getByLabel('Without colours').check();
    const address = `${body.object_url}gray_h-90_w-120.png`;
    await page.locator(`img[data-address="${address}"]`).waitFor();
    await page.getByText('120 × 90 px').waitFor();
    assert.equal(await page.getByLabel('Address', { exact: true }).textContent(), address);
    const made = await pictures.server.call(address, { key: null });
    assert.equal(made.headers.get('content-type'), 'image/png');
    await page.getByRole('tab', { name: 'Markdown' }).click();
    assert.equal(await page.getByRole('tabpanel').textContent(), `![picture.jpg](${address})`);
    await page.getByRole('tab', { name: 'HTML' }).click();
    assert.match(
      (await page.getByRole('tabpanel').textContent()) ?? '',
      /srcset="[^"]+gray_h-90_w-120\.png 1x/,
    );
    await page.getByLabel('Width', { exact: true }).fill('9000');
    await page
      .getByRole('alert')
      .getByText(/w.*1.*8192/)
      .waitFor();
  });

  test('tags and folder are kept as they are changed', async () => {
    const { api_key: key } = await newAccount(pictures.server);
    await pictures.server.upload(await picture(60, 40), { object: 'tagged', tags: 'old' }, { key });
    const page = await open(key, '/dashboard/objects/tagged');
    await page.getByRole('button', { name: 'Remove the tag old' }).click();
    await page.getByText('Saved').waitFor();
    await page.getByLabel('Tags', { exact: true }).fill('new');
    await page.keyboard.press('Enter');
    await eventually(async () => {
      const { body } = await pictures.server.json('/get/tagged', { key });
      assert.deepEqual(body.tags, ['new']);
    }, patienceMs);
  });

  test('plays a film, with frames of it over the seek bar', async () => {
    const { api_key: key } = await newAccount(pictures.server);
    const film = makeFilm({ seconds: 4, width: 320, height: 180, gop: 25 });
    const { object_id: id } = await uploadFilm(pictures.server, film, {}, { key });
    const page = await open(key, `/dashboard/objects/${id}`);
    await untilStatus(pictures.server, id, 'ready', { key });
    await page.getByRole('button', { name: 'Play' }).click();
    const time = (): Promise<number> =>
      page.locator('video').evaluate((video: any) => Number(video.currentTime));
    await eventually(async () => assert.ok((await time()) > 0.5), patienceMs);
    await page.getByRole('button', { name: 'Pause' }).click();
    const seek = page.getByLabel('Seek');
    await eventually(async () => {
      await seek.hover();
      const frame = page.locator('.seek-frame');
      assert.match((await frame.getAttribute('style')) ?? '', /storyboard/);
    }, patienceMs);
    await seek.focus();
    await page.keyboard.press('ArrowLeft');
    await eventually(async () => assert.ok((await time()) < 0.5), patienceMs);
  });

  test('deletes in bulk, after saying what will be lost', async () => {
    const { api_key: key } = await newAccount(pictures.server);
    for (let count = 0; count < 5; count += 1)
      await pictures.server.upload(await picture(60 + count, 40), { object: `p${count}` }, { key });
    const page = await open(key);
    const boxes = page.getByRole('checkbox');
    await boxes.nth(0).click();
    await boxes.nth(3).click({ modifiers: ['Shift'] });
    await page.getByText('4 objects selected').waitFor();
    await page.getByRole('button', { name: 'Add tags …' }).click();
    await page.getByRole('dialog').getByLabel('Tags').fill('old,');
    await page.getByRole('button', { name: 'Add 1 tag' }).click();
    await page.getByText('4 objects tagged.').waitFor();
    await boxes.nth(0).click();
    await boxes.nth(3).click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Delete …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^4 pictures, .* cannot be undone/).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete …' }).click();
    await dialog.getByRole('button', { name: 'Delete 4 objects' }).click();
    await page.getByText('4 objects deleted.').waitFor();
    await page.getByText('1 object', { exact: true }).waitFor();
    const { body } = await pictures.server.json('/get/', { key });
    assert.equal(body.objects.length, 1);
  });

  test('filters by tag, folder and type, and keeps that in the address', async () => {
    const { api_key: key } = await newAccount(pictures.server);
    const add = async (object: string, fields: Record<string, string>) =>
      pictures.server.upload(await picture(50, 40), { object, ...fields }, { key });
    await add('one', { tags: 'sea', folder: 'a' });
    await add('two', { tags: 'sea,boat', folder: 'b' });
    await add('three', { tags: 'land' });
    const page = await open(key);
    await page.getByText('3 objects').waitFor();
    await page.getByLabel('Filter by tag').fill('sea');
    await page.keyboard.press('Enter');
    await page.getByText('2 objects').waitFor();
    await page.getByLabel('Folder').selectOption('b');
    await page.getByText('1 object', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 object', { exact: true }).waitFor();
    await page.getByLabel('Type', { exact: true }).selectOption('video');
    await page.getByText('Nothing passes this filter').waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await page.getByText('3 objects').waitFor();
  });
});
