// The order in which a search is refused, with the exact messages.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newAccount, newKey, sendJson, type TestAccount } from '../support/accounts.ts';
import { assertError } from '../support/assert-error.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let account: TestAccount;
before(async () => {
  server = await startServer();
  account = await newAccount(server);
});
after(() => server.stop());

const search = (query: string) => server.json(`/get/search${query}`, { key: account.api_key });
const configure = async (settings: Record<string, unknown>) => {
  const { status } = await server.json('/user/', { ...sendJson('PATCH', settings), key: account.api_key });
  assert.equal(status, 200);
};
const qMissing = { message: 'Query parameter "q" is required' };

test('without a key it is 401, without the scope 403, whatever is asked', async () => {
  assertError(await server.json('/get/search', { key: null }), 401);
  const { api_key: key } = await newKey(server, account.api_key, { scopes: ['write'] });
  assertError(await server.json('/get/search', { key }), 403, { code: 'scope_too_small' });
});

test('a missing or blank q is 400 before everything else', async () => {
  for (const query of [
    '',
    '?q=',
    '?q=%20%09',
    '?q=%C2%A0',
    '?threshold=9&limit=0',
    '?q=&threshold=x',
    '?query=sea',
  ])
    assertError(await search(query), 400, qMissing);
});

test('q over 500 characters, threshold and limit out of range are 400', async () => {
  assertError(await search(`?q=${'x'.repeat(501)}`), 400, { message: /500 characters/ });
  for (const threshold of ['-0.1', '1.1', 'x', '', 'NaN', '0.5&threshold=0.6'])
    assertError(await search(`?q=sea&threshold=${threshold}`), 400, {
      message: 'Query parameter "threshold" must be a number from 0 to 1',
    });
  for (const limit of ['0', '101', '-1', '1.5', 'x', ''])
    assertError(await search(`?q=sea&limit=${limit}`), 400, {
      message: 'Query parameter "limit" must be a whole number from 1 to 100',
    });
  assertError(await search('?q=a&q=b'), 400);
});

test('then comes whether analysis is on, then whether a key is there', async () => {
  for (const query of ['?q=sea', `?q=${'x'.repeat(500)}`, '?q=sea&threshold=0&limit=100', '?q=%00'])
    assertError(await search(query), 403, {
      message: 'AI analysis not enabled for this user',
      code: 'analysis_off',
    });
  await configure({ ai_analysis: true });
  assertError(await search('?q=sea'), 403, {
    message: 'OpenAI API key not configured',
    code: 'ai_key_missing',
  });
  assertError(await search('?q='), 400, qMissing);
  await configure({ openai_api_key: 'sk-test-0000000000' });
  assert.notEqual((await search('?q=sea')).status, 403);
  await configure({ openai_api_key: null });
  assertError(await search('?q=sea'), 403, { code: 'ai_key_missing' });
  await configure({ ai_provider: 'local' });
  assert.notEqual((await search('?q=sea')).status, 403, 'the local provider needs no key');
  await configure({ ai_analysis: false });
  assertError(await search('?q=sea'), 403, { code: 'analysis_off' });
});
