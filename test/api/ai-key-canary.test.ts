// The key of an account's AI provider: used in its calls and nowhere to be seen, whatever the provider makes of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { everyFile } from '../support/every-file.ts';
import type { Mode } from '../support/openai-stand-in.ts';
import { type DescribedPictures, type Searcher, startDescribedPictures } from '../support/search-server.ts';
import { prepared } from '../support/variants.ts';

const canary = 'sk-canary-2f6b1c9d4e8a7035-of-the-provider';
const wrongCanary = 'sk-canary-of-somebody-else-91c4d7';
let described: DescribedPictures;
let account: Searcher;
const answers: string[] = [];

before(async () => {
  described = await startDescribedPictures({}, { apiKey: canary });
  account = await described.account();
});
after(() => described[Symbol.asyncDispose]());

async function note(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await account.send(method, path, body);
  answers.push(JSON.stringify(answer.body));
  return answer.body;
}

/** A picture and a question while it behaves like this, then all that the account can look at. */
async function goThrough(name: string, mode: Mode): Promise<void> {
  const { provider } = described;
  provider.behave(mode);
  const asked = provider.requests.length;
  await account.add(name, `Seen while ${name}.`);
  await eventually(() => assert.ok(provider.requests.length > asked));
  await note('GET', '/get/search?q=seen&threshold=0');
  for (const path of ['/user/', '/analysis/', `/get/${name}`, '/get/?view=full', '/webhooks/'])
    await note('GET', path);
  described.provider.behave({ kind: 'well' });
  await note('POST', '/analysis/');
}

test('success, refusals, nonsense and silence', async () => {
  const leaky = { message: `Incorrect API key provided: ${canary}, or ${canary.slice(0, 20)}…` };
  await goThrough('well', { kind: 'well' });
  await account.analysed(1);
  described.provider.behave({ kind: 'hang' }, { to: '/embeddings', times: 1 });
  const asked = described.provider.requests.length;
  const unanswered = note('GET', '/get/search?q=seen');
  await eventually(() => assert.ok(described.provider.requests.length > asked));
  await goThrough('refused', { kind: 'error', status: 401, error: leaky });
  await goThrough('broken', { kind: 'error', status: 500, error: leaky });
  await goThrough('unknown', { kind: 'error', status: 404, error: leaky });
  await goThrough('odd', { kind: 'error', status: 400, error: { ...leaky, code: canary, param: canary } });
  await goThrough('garbage', { kind: 'body', body: `<html>${canary}` });
  await goThrough('echo', { kind: 'body', body: JSON.stringify({ error: canary, choices: canary }) });
  await goThrough('cut', { kind: 'cut' });
  described.provider.behave({ kind: 'hang' }, { to: '/chat/completions', times: 1 });
  await account.add('silent', 'Seen after a change of keys.');
  await note('PATCH', '/user/', { openai_api_key: `${canary} ` });
  await note('PATCH', '/user/', { openai_base_url: `https://${canary}:x@example.com` });
  await note('PATCH', '/user/', { openai_api_key: wrongCanary });
  await eventually(async () => assert.ok((await note('GET', '/user/')).ai_error), 20_000);
  await note('GET', '/get/search?q=seen');
  await note('PATCH', '/user/', { openai_api_key: canary });
  await account.analysed(9, 30_000);
  assert.match((await unanswered).error, /did not answer in time/);
  assert.ok(described.provider.requests.some(({ headers }) => headers.authorization?.includes(canary)));
});

test('no answer, no line of the log and no file holds it', async () => {
  await prepared(described.server);
  const files = await everyFile(described.server);
  const names = new Set(files.map(({ name }) => name));
  for (const name of ['tintype.db', 'bucket.json']) assert.ok(names.has(name), name);
  const places: [string, string][] = [
    ...answers.map((text): [string, string] => ['an answer', text]),
    ...described.logLines.map((line): [string, string] => ['the log', line]),
  ];
  for (const { name, text } of files) places.push([name, text]);
  assert.ok(answers.length > 50 && described.logLines.length > 50);
  // Nor enough of it to guess the rest.
  const parts = [canary, wrongCanary, canary.slice(0, 18), wrongCanary.slice(0, 18)];
  assert.deepEqual(
    places.filter(([, text]) => parts.some((part) => text.includes(part))),
    [],
  );
});
