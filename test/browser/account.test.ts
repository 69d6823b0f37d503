// The pages of the account and of the accounts, in a real browser against a whole service.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { newAccount, newKey, sendJson } from '../support/accounts.ts';
import { browserPath, launchBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { type OpenAiStandIn, startOpenAiStandIn } from '../support/openai-stand-in.ts';
import { picture } from '../support/pictures.ts';
import { startReceiver } from '../support/receivers.ts';
import { operatorKey, startServer, type TestServer } from '../support/server.ts';

const executable = browserPath();
const skip = executable === null && 'NO CHROMIUM IS INSTALLED: no page was opened';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const sections = ['', '/keys', '/ai', '/webhooks', '/transformations'];
const hostile = '<img src=x onerror="window.wasRun=1">';

describe('the account in a browser', { skip }, () => {
  let server: TestServer;
  let provider: OpenAiStandIn;
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  /** Of the page itself; what the service refuses is not one. */
  let faults: string[] = [];

  before(async () => {
    provider = await startOpenAiStandIn();
    server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'on', OPENAI_BASE_URL: provider.url });
    browser = await launchBrowser(executable as string);
  });
  after(async () => {
    await browser.close();
    await server.stop();
    await provider.close();
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    const seen = faults;
    [contexts, faults] = [[], []];
    assert.deepEqual(seen, []);
  });

  async function open(
    path: string,
    key: string,
    { at = server, ...options }: BrowserContextOptions & { at?: TestServer } = {},
  ): Promise<Page> {
    const context = await browser.newContext(options);
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (line) => {
      if (line.type() === 'error' && !line.text().startsWith('Failed to load resource'))
        faults.push(line.text());
    });
    await page.goto(at.url);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.goto(at.url + path);
    return page;
  }

  const statusOf = async (key: string, path = '/user/'): Promise<number> =>
    (await server.call(path, { key })).status;
  const settingsOf = async (key: string) => (await server.json('/user/', { key })).body;

  describe('keys', () => {
    test('one is made, used, rotated and revoked', async () => {
      const { api_key: owner } = await newAccount(server);
      const page = await open('/dashboard/account/keys', owner);
      await button(page, 'Create a key').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('robot');
      await dialog.getByLabel('write').uncheck();
      await dialog.getByLabel('Expires').selectOption('In 30 days');
      await button(dialog, 'Create the key').click();
      const first = await keptSecret(page, { tryToLoseIt: true });
      assert.deepEqual([await statusOf(first), await statusOf(first, '/keys/')], [200, 403]);
      const { body } = await server.json('/keys/', { key: owner });
      const made = body.keys.find(({ name }: { name: string }) => name === 'robot');
      const days = (Date.parse(made.expires_at) - Date.now()) / 86_400_000;
      assert.ok(days > 29.9 && days <= 30, made.expires_at);

      const rotate = async (grace: string): Promise<string> => {
        await button(page, 'Rotate robot').click();
        await dialog.getByLabel('The old secret stays good for').selectOption({ label: grace });
        await button(dialog, 'Rotate the key').click();
        return keptSecret(page);
      };
      const second = await rotate('1 hour');
      assert.deepEqual([await statusOf(first), await statusOf(second)], [200, 200]);
      const third = await rotate('Not at all: it stops working at once');
      assert.deepEqual(
        [await statusOf(first), await statusOf(second), await statusOf(third)],
        [401, 401, 200],
      );

      await button(page, 'Revoke robot').click();
      await button(dialog, 'Keep it').click();
      assert.equal(await statusOf(third), 200);
      await button(page, 'Revoke robot').click();
      await button(dialog, 'Revoke the key').click();
      await button(page, 'Revoke robot').waitFor({ state: 'detached' });
      assert.equal(await statusOf(third), 401);
    });

    test('rotating the key of the session keeps it, revoking it ends it', async () => {
      const { api_key: owner } = await newAccount(server);
      const page = await open('/dashboard/account/keys', owner);
      const dialog = page.getByRole('dialog');
      await button(page, /^Rotate /).click();
      await dialog.getByText('stay signed in').waitFor();
      await dialog.getByLabel('The old secret stays good for').selectOption('0');
      await button(dialog, 'Rotate the key').click();
      const rotated = await keptSecret(page);
      assert.deepEqual([await statusOf(owner), await statusOf(rotated)], [401, 200]);
      await page.reload();
      await button(page, /^Revoke /).click();
      await dialog.getByText('You are signed in with this very key').waitFor();
      await button(dialog, 'Revoke the key').click();
      await page.getByText('Your session has ended').waitFor();
      assert.equal(await statusOf(rotated), 401);
    });

    test('one that cannot be made says why beside the field', async () => {
      const { api_key: owner } = await newAccount(server);
      const page = await open('/dashboard/account/keys', owner);
      await button(page, 'Create a key').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('too late');
      await dialog.getByLabel('Expires').selectOption('date');
      await dialog.getByLabel('Last day').fill('2020-02-29');
      await button(dialog, 'Create the key').click();
      await assertRefused(dialog.getByLabel('Last day'), /must be an ISO 8601 time in the future\.$/);
      await dialog.getByLabel('Expires').selectOption('never');
      await dialog.getByLabel('read').uncheck();
      await dialog.getByLabel('write').uncheck();
      await button(dialog, 'Create the key').click();
      await assertRefused(dialog.getByRole('group', { name: 'Scopes' }), /must be a list of read/);
      assert.equal((await server.json('/keys/', { key: owner })).body.keys.length, 1);
    });
  });

  describe('settings', () => {
    test('wrong ones are refused beside their field, and nothing changes', async () => {
      const { api_key: owner } = await newAccount(server);
      const before = await settingsOf(owner);
      const page = await open('/dashboard/account', owner);
      await page.getByLabel('E-mail address').fill('nobody');
      await button(page, 'Save the address').click();
      await assertRefused(page.getByLabel('E-mail address'), /must be an e-mail address\.$/);

      await page.goto(`${server.url}/dashboard/account/ai`);
      for (const [label, wrong, sentence] of [
        ['Base URL', 'ftp://example.com', /^The address must be a full address/],
        ['Base URL', 'http://169.254.169.254/v1', /^The address must be on the public internet/],
        ['Caption model', 'two words', /must be the name of a model/],
        ['Dimensions', '1', /must be a whole number from 2 to 4096/],
        ['API key of the provider', 'ключ', /visible ASCII/],
      ] as const) {
        const field = page.getByLabel(label);
        await field.fill(wrong);
        await button(page, 'Save').click();
        await assertRefused(field, sentence);
        await field.fill('');
      }

      await page.goto(`${server.url}/dashboard/account/transformations`);
      await button(page, 'Add a preset').click();
      for (const [name, tokens, sentence] of [
        ['card', 'w-0', /^Preset "card": /],
        ['Card!', 'w-100', /^A preset’s name must be/],
        ['card', '', /^A preset must be a text/],
      ] as const) {
        await page.getByLabel('Name').fill(name);
        await page.getByLabel('Tokens').fill(tokens);
        await button(page, 'Save the presets').click();
        await assertRefused(page.getByLabel('Tokens'), sentence);
      }
      assert.deepEqual(await settingsOf(owner), before);
    });

    test('what is chosen stays chosen from the click on', async () => {
      const { api_key: owner } = await newAccount(server);
      const page = await open('/dashboard/account', owner);
      for (const name of ['storage', 'files', 'storage']) {
        const radio = page.getByRole('radio', { name });
        const wasChosen = await radio.evaluate(async (element: unknown) => {
          const input = element as { checked: boolean; click(): void };
          const states: boolean[] = [];
          input.click();
          for (const end = performance.now() + 300; performance.now() < end;) {
            states.push(input.checked);
            await new Promise((resolve) => setTimeout(resolve));
          }
          return states;
        });
        assert.ok(wasChosen.length > 1);
        assert.ok(!wasChosen.includes(false), 'it never jumps back');
        await eventually(async () => assert.equal((await settingsOf(owner)).storage_backend, name));
      }
    });

    test('right ones are kept', async () => {
      const { api_key: owner } = await newAccount(server);
      const page = await open('/dashboard/account', owner);
      await page.getByLabel('E-mail address').fill('other@example.com');
      await button(page, 'Save the address').click();
      await page.getByText('The e-mail address is saved.').waitFor();
      await page.getByRole('radio', { name: 'storage' }).check();
      await page.getByText('New uploads go to storage').waitFor();
      await page.goto(`${server.url}/dashboard/account/transformations`);
      await page.getByLabel('Signed addresses').check();
      await button(page, 'Save the policy').click();
      assert.match(await keptSecret(page), /^ttsign_/);
      for (const [index, name] of ['card', 'card'].entries()) {
        await button(page, 'Add a preset').click();
        await page.getByLabel('Name').nth(index).fill(name);
        await page.getByLabel('Tokens').nth(index).fill('w-400_q-70');
      }
      await assertRefused(page.getByLabel('Tokens').nth(1), /Another preset has this name/);
      assert.equal(await button(page, 'Save the presets').isDisabled(), true);
      await page.getByLabel('Name').nth(1).fill('thumb');
      await button(page, 'Save the presets').click();
      await page.getByText('The presets are saved.').waitFor();
      const { email, storage_backend: backend, transform_policy: policy, presets } = await settingsOf(owner);
      assert.deepEqual([email, backend, policy], ['other@example.com', 'storage', 'signed']);
      assert.deepEqual(presets, { card: 'w-400_q-70', thumb: 'w-400_q-70' });
    });
  });

  test('the test of the analysis says plainly whether it works', async () => {
    const { api_key: owner } = await newAccount(server);
    const page = await open('/dashboard/account/ai', owner);
    const outcome = async (expected: RegExp): Promise<void> => {
      await button(page, 'Test it now').click();
      await page.getByText(expected).waitFor();
    };
    await outcome(/^Analysis is off\./);
    await page.getByRole('radio', { name: 'On' }).check();
    await button(page, 'Save').click();
    await page.getByText('The settings of the analysis are saved.').waitFor();
    await outcome(/^There is no key for the provider yet\./);
    await page.getByLabel('API key of the provider').fill(provider.apiKey);
    await button(page, 'Save').click();
    await page.getByText('A key is configured.').waitFor();
    await outcome(/^It works: /);
    assert.ok(!(await everythingIn(page)).includes(provider.apiKey));
    provider.behave({ kind: 'error', status: 401 });
    await outcome(/^It does not work\. .*key/);
    provider.behave({ kind: 'well' });
    await button(page, 'Clear the key').click();
    await page.getByText('No key is configured.').waitFor();
    assert.equal((await settingsOf(owner)).ai_key_configured, false);
  });

  test('pictures are counted as they are analysed', async () => {
    const { api_key: owner } = await newAccount(server);
    await server.upload(await picture(64, 64), {}, { key: owner });
    const page = await open('/dashboard/account/ai', owner);
    await page.getByText('Off. 0 of 1 picture analysed').waitFor();
    await page.getByLabel('API key of the provider').fill(provider.apiKey);
    await page.getByRole('radio', { name: 'On' }).check();
    await button(page, 'Save').click();
    await page.getByText('1 of 1 picture analysed', { exact: true }).waitFor();
    assert.equal(await page.getByRole('progressbar', { name: 'Analysed' }).getAttribute('value'), '1');
  });

  test('a webhook is made, tried, looked into, sent again and deleted', async () => {
    await using receiver = await startReceiver();
    const { api_key: owner } = await newAccount(server);
    const page = await open('/dashboard/account/webhooks', owner);
    const dialog = page.getByRole('dialog');
    await page.getByText('No webhooks yet').waitFor();
    await button(page, 'Create a webhook').click();
    await dialog.getByLabel('Address').fill('javascript:alert(1)');
    await button(dialog, 'Create the webhook').click();
    await assertRefused(dialog.getByLabel('Address'), /begins with http/);
    await dialog.getByLabel('Address').fill(receiver.url);
    await dialog.getByLabel('object.created').check();
    await button(dialog, 'Create the webhook').click();
    const secret = await keptSecret(page);

    await button(page, 'Send a test').click();
    await page.getByText(/^Test: it works, the receiver answered 200/).waitFor();
    receiver.verify(receiver.received[0]!, secret);
    receiver.answerWith(500);
    await button(page, 'Send a test').click();
    await page.getByText(/^Test: it failed, the receiver answered 500/).waitFor();

    receiver.answerWith(200);
    await button(page, 'Show the deliveries').click();
    const failed = page.locator('.delivery', { hasText: 'failed' });
    await failed.locator('summary').click();
    await failed.getByText('"webhook_id"').waitFor();
    await button(failed, 'Send it again').click();
    await eventually(() => assert.equal(receiver.received.length, 3));
    await page.locator('.delivery', { hasText: 'failed' }).waitFor({ state: 'detached' });

    const [{ webhook_id: id }] = (await server.json('/webhooks/', { key: owner })).body.webhooks;
    for (let made = 2; made < 25; made += 1)
      await server.call(`/webhooks/${id}/test`, { method: 'POST', key: owner });
    await page.reload();
    await button(page, 'Show the deliveries').click();
    await button(page, 'Load more').click();
    // While it loads, the button is called otherwise.
    await eventually(async () => assert.equal(await page.locator('.delivery').count(), 25));
    await button(page, 'Load more').waitFor({ state: 'detached' });

    await button(page, 'Rotate the secret …').click();
    await button(dialog, 'Rotate the secret').click();
    const next = await keptSecret(page);
    assert.notEqual(next, secret);
    await button(page, 'Send a test').click();
    await page.getByText(/^Test: it works/).waitFor();
    receiver.verify(receiver.received.at(-1)!, next);
    await button(page, 'Delete …').click();
    await button(dialog, 'Delete the webhook').click();
    await page.getByText('No webhooks yet').waitFor();
    assert.deepEqual((await server.json('/webhooks/', { key: owner })).body.webhooks, []);
  });

  test('the address in the settings is set, changed, switched off and on, and cleared', async () => {
    await using receiver = await startReceiver();
    const { api_key: owner } = await newAccount(server);
    const page = await open('/dashboard/account/webhooks', owner);
    const address = page.getByRole('textbox', { name: 'Address in the settings' });
    const savedAddress = async () => (await settingsOf(owner)).webhook_url;
    await address.waitFor();
    assert.equal(await button(page, 'Save the address').isDisabled(), true);
    assert.equal(await button(page, 'Clear the address …').count(), 0);
    await address.fill(receiver.url);
    await address.press('Enter');
    const secret = await keptSecret(page);
    assert.equal(await savedAddress(), receiver.url);
    await button(page, 'Send a test').click();
    await page.getByText(/^Test: it works/).waitFor();
    receiver.verify(receiver.received[0]!, secret);

    await address.fill(`${receiver.url}/b`);
    await button(page, 'Save the address').click();
    await page.getByRole('article', { name: `${receiver.url}/b` }).waitFor();
    assert.equal(await savedAddress(), `${receiver.url}/b`);
    assert.equal(await page.getByRole('dialog').count(), 0);
    await eventually(async () => assert.equal(await button(page, 'Save the address').isDisabled(), true));

    receiver.answerWith(410);
    await button(page, 'Send a test').click();
    await page.getByText('Save its address again to switch it on.').waitFor();
    receiver.answerWith(200);
    await button(page, 'Save the address').click();
    await page.getByText('Switched off').waitFor({ state: 'detached' });
    await button(page, 'Send a test').click();
    await page.getByText(/^Test: it works/).waitFor();

    await button(page, 'Clear the address …').click();
    await button(page.getByRole('dialog'), 'Delete the webhook').click();
    await page.getByText('No webhooks yet').waitFor();
    await eventually(async () => assert.equal(await address.inputValue(), ''));
    assert.equal(await savedAddress(), null);
  });

  test('an address that must not be called is refused in words, and the settings stay', async () => {
    await using strict = await startServer();
    const page = await open('/dashboard/account/webhooks', operatorKey, { at: strict });
    const address = page.getByRole('textbox', { name: 'Address in the settings' });
    for (const [wrong, sentence] of [
      ['hooks.example.com', /^The address must be a full address that begins with http/],
      ['http://192.168.1.7/hook', /^The address must be on the public internet/],
      ['https://user:word@example.com/', /^The address must .*user name/],
    ] as const) {
      await address.fill(wrong);
      await button(page, 'Save the address').click();
      await assertRefused(address, sentence);
    }
    assert.equal((await strict.json('/user/')).body.webhook_url, null);
  });

  test('what strangers write is never run', async () => {
    await using receiver = await startReceiver();
    const { api_key: owner } = await newAccount(server);
    // Without the page's policy, which would hide that something is wrong.
    const page = await open('/dashboard/account/keys', owner, { bypassCSP: true });
    const dialog = page.getByRole('dialog');
    await button(page, 'Create a key').click();
    await dialog.getByLabel('Name').fill(hostile);
    await button(dialog, 'Create the key').click();
    await keptSecret(page);
    await button(page, `Rotate ${hostile}`).click();
    await dialog.getByText(hostile).waitFor();

    await page.goto(`${server.url}/dashboard/account/webhooks`);
    await button(page, 'Create a webhook').click();
    // No blanks: the service refuses them in addresses.
    await dialog.getByLabel('Address').fill(`${receiver.url}?<img/src=x/onerror="window.wasRun=1">`);
    await dialog.getByLabel('object.created').check();
    await button(dialog, 'Create the webhook').click();
    await keptSecret(page);
    await server.upload(await picture(8, 8), { tags: hostile }, { key: owner });
    await eventually(() => assert.equal(receiver.received.length, 1));
    await button(page, 'Show the deliveries').click();
    await page.locator('.delivery summary').click();
    await page.locator('.delivery pre').getByText('<img src=x').waitFor();

    await page.goto(`${server.url}/dashboard/account/transformations`);
    await button(page, 'Add a preset').click();
    await page.getByLabel('Name').fill('x');
    await page.getByLabel('Tokens').fill(hostile);
    await button(page, 'Save the presets').click();
    await assertRefused(page.getByLabel('Tokens'), /<img src=x/);
    assert.equal(await page.evaluate('window.wasRun'), undefined);
    assert.equal(await page.locator('img[src="x"]').count(), 0);
  });

  test('a key with fewer scopes sees what it may, and what it lacks', async () => {
    const { api_key: owner } = await newAccount(server, { tier: 'free' });
    const { api_key: reader } = await newKey(server, owner, { scopes: ['read'] });
    const page = await open('/dashboard/account', reader);
    await page.getByText('0 B of 100 MB').waitFor();
    assert.equal(await page.getByLabel('E-mail address').isDisabled(), true);
    for (const section of sections) {
      await page.goto(`${server.url}/dashboard/account${section}`);
      await page.getByRole('note').getByText('account', { exact: true }).waitFor();
    }
    assert.equal(await page.getByRole('alert').count(), 0);
    const { api_key: manager } = await newKey(server, owner, { scopes: ['account'] });
    const other = await open('/dashboard/account', manager);
    await other.getByRole('note').getByText('read', { exact: true }).waitFor();
    await other.getByRole('link', { name: 'Keys' }).click();
    await button(other, 'Create a key').waitFor();
    assert.equal(await other.getByRole('link', { name: 'Accounts' }).count(), 0);
  });

  test('the operator makes an account, changes it, deletes it and takes that back', async () => {
    const page = await open('/dashboard/accounts', operatorKey);
    const dialog = page.getByRole('dialog');
    const email = 'new.customer@example.com';
    await button(page, 'Create an account').click();
    await dialog.getByLabel('E-mail address').fill('nobody');
    await button(dialog, 'Create the account').click();
    await assertRefused(dialog.getByLabel('E-mail address'), /must be an e-mail address/);
    await dialog.getByLabel('E-mail address').fill(email);
    await dialog.getByLabel('Tier').selectOption('pro');
    await dialog.getByLabel('Storage', { exact: true }).selectOption('own');
    await dialog.getByLabel('Storage, megabytes').fill('250');
    await button(dialog, 'Create the account').click();
    const key = await keptSecret(page);
    const { tier, storage_limit: limit, rate_limit_per_minute: rate } = await settingsOf(key);
    assert.deepEqual([tier, limit, rate], ['pro', 250 * 1024, 1200]);

    await page.getByLabel('Filter by e-mail').fill('NEW.CUSTOMER');
    await page.getByText('1 account found').waitFor();
    assert.equal(await button(page, `Delete ${email}`).count(), 1);
    const edit = async (change: () => Promise<unknown>): Promise<void> => {
      await button(page, `Edit ${email}`).click();
      await change();
      await button(dialog, 'Save').click();
      await dialog.waitFor({ state: 'detached' });
    };
    await edit(() => dialog.getByLabel('Storage', { exact: true }).selectOption('tier'));
    assert.equal((await settingsOf(key)).storage_limit, 10 * 1024 ** 2);
    await edit(() => dialog.getByRole('radio', { name: 'Disabled' }).check());
    assert.equal(await statusOf(key), 403);
    await page.getByRole('cell', { name: 'disabled' }).waitFor();
    await edit(() => dialog.getByRole('radio', { name: 'Enabled' }).check());
    assert.equal(await statusOf(key), 200);

    await button(page, `Delete ${email}`).click();
    await button(dialog, 'Delete the account').click();
    await page.getByRole('cell', { name: /^deleted · erased on/ }).waitFor();
    assert.equal(await statusOf(key), 403);
    await button(page, `Undo the deletion of ${email}`).click();
    await page.getByRole('cell', { name: 'enabled' }).waitFor();
    assert.equal(await statusOf(key), 200);
  });

  for (const colorScheme of ['dark', 'light'] as const)
    test(`nothing stands in the way of anybody: ${colorScheme}`, async () => {
      await using receiver = await startReceiver();
      const account = sendJson('PATCH', { presets: { card: 'w-100' }, webhook_url: receiver.url });
      assert.equal((await server.json('/user/', account)).status, 200);
      const page = await open('/dashboard/account', operatorKey, { colorScheme });
      const dialogs: Record<string, string> = { '/keys': 'Create a key', '/webhooks': 'Create a webhook' };
      for (const section of sections) {
        await page.goto(`${server.url}/dashboard/account${section}`);
        await assertAccessible(page, section);
        if (!dialogs[section]) continue;
        await button(page, dialogs[section]).click();
        await assertAccessible(page, `${section}, ${dialogs[section]}`);
      }
      await page.goto(`${server.url}/dashboard/accounts`);
      await assertAccessible(page, 'accounts');
      await button(page, /^Edit /)
        .first()
        .click();
      await assertAccessible(page, 'accounts, edit');
    });

  test('everything fits on a small telephone', async () => {
    const page = await open('/dashboard/account', operatorKey, { viewport: { width: 360, height: 640 } });
    for (const path of [...sections.map((section) => `/account${section}`), '/accounts']) {
      await page.goto(`${server.url}/dashboard${path}`);
      await isLoaded(page);
      const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(tooWide) <= 0, `${path} is ${String(tooWide)} pixels too wide`);
    }
  });
});

function button(within: Page | Locator, name: string | RegExp): Locator {
  return within.getByRole('button', { name, exact: true });
}

/** Reads a secret that is shown once, puts it away, and sees that it is gone. */
async function keptSecret(page: Page, { tryToLoseIt = false } = {}): Promise<string> {
  const dialog = page.getByRole('dialog').filter({ hasText: 'It is not shown again' });
  const secret = (await dialog.locator('.secret code').textContent()) as string;
  if (tryToLoseIt) {
    await page.keyboard.press('Escape');
    await page.mouse.click(4, 4);
    assert.equal(await dialog.isVisible(), true);
  }
  await button(dialog, 'I have kept it').click();
  await dialog.waitFor({ state: 'detached' });
  assert.ok(!(await everythingIn(page)).includes(secret));
  return secret;
}

/** Also what is in fields and what the page keeps in the browser. */
async function everythingIn(page: Page): Promise<string> {
  const fields = `[...document.querySelectorAll('input')].map(({ value }) => value).join()`;
  const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
  return `${await page.content()}${String(await page.evaluate(`${fields} + ${kept}`))}`;
}

/** What a screen reader says is wrong with this control. */
/** The refusal before it is still shown until the page has heard that there is another. */
async function assertRefused(control: Locator, sentence: RegExp): Promise<void> {
  await eventually(async () => assert.match(await refusalOf(control), sentence));
}

async function refusalOf(control: Locator): Promise<string> {
  const alert = control.page().locator('[role=alert]');
  const ids = ((await control.getAttribute('aria-describedby')) ?? '').split(' ').filter(Boolean);
  const described = ids.map((id) => alert.and(control.page().locator(`[id="${id}"]`)));
  const texts = await Promise.all(described.map((each) => each.allTextContents()));
  return texts.flat().join(' ');
}

async function isLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText(/^Loading /).waitFor({ state: 'detached' });
}

async function assertAccessible(page: Page, where: string): Promise<void> {
  await isLoaded(page);
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    grave.map(({ id, nodes }) => [where, id, nodes.map(({ html }) => html)]),
    [],
  );
}
