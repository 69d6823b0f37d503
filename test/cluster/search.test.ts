// Search in a service of several processes: one has the vectors and asks the providers, and all of them answer alike, also
// with what goes wrong.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/assert-error.ts';
import { Clustered } from '../support/clustered.ts';
import { eventually } from '../support/eventually.ts';
import { makeFilm } from '../support/films.ts';
import { type OpenAiStandIn, startOpenAiStandIn } from '../support/openai-stand-in.ts';
import { picture } from '../support/pictures.ts';

const looks = 24;
const captions = ['red boat calm lake', 'green tree on a hill', 'brown dog asleep'];
let provider: OpenAiStandIn;
let service: Clustered;
let key: string;

before(async () => {
  provider = await startOpenAiStandIn({ caption: ({ width }) => captions[width - 30] });
  service = await Clustered.start({ OPENAI_BASE_URL: provider.url });
  const account = { email: 'search@example.com', tier: 'enterprise' };
  key = (await service.call('POST', '/accounts/', account)).api_key;
});
after(async () => {
  await service.end();
  await provider.close();
});

const ask = (path: string, method = 'GET') =>
  service.get(path, { method, headers: { Authorization: `Bearer ${key}` } });
const configure = (settings: object) => service.call('PATCH', '/user/', settings, key);

/** The different answers of many requests on connections of their own, so that every process is among those that answer. */
async function answersOf(path: string, method = 'GET', times = looks) {
  const answers = await Promise.all(Array.from({ length: times }, () => ask(path, method)));
  return [...new Map(answers.map((each) => [`${each.status} ${each.bytes.toString()}`, each])).values()];
}

async function theAnswer(path: string, method = 'GET'): Promise<any> {
  const [answer, ...others] = await answersOf(path, method);
  assert.deepEqual(others, [], path);
  assert.equal(answer?.status, 200, answer?.bytes.toString());
  return JSON.parse(answer.bytes.toString());
}

async function theError(path: string, status: number, expected: { code: string; message?: RegExp }) {
  const [answer, ...others] = await answersOf(path);
  assert.ok(answer && others.length === 0, path);
  const headers = { get: (name: string) => answer.headers[name]?.toString() ?? null };
  assertError(
    { status: answer.status, headers, body: JSON.parse(answer.bytes.toString()) },
    status,
    expected,
  );
}

test('settings that were just changed hold in every process', async () => {
  assert.ok(service.httpProcesses().length >= 2);
  await theError('/get/search?q=boat', 403, { code: 'analysis_off' });
  await configure({ ai_analysis: true });
  await theError('/get/search?q=boat', 403, { code: 'ai_key_missing' });
  await configure({ openai_api_key: provider.apiKey });
  assert.equal((await theAnswer('/get/search?q=boat')).count, 0);
});

test('pictures are analysed once, and found and counted alike everywhere', async () => {
  await Promise.all(captions.map(async (_, at) => service.upload(await picture(30 + at, 20), `p${at}`, key)));
  await eventually(async () => {
    const analysis = JSON.parse((await ask('/analysis/')).bytes.toString());
    assert.equal(analysis.analysed, captions.length, JSON.stringify(analysis));
  }, 20_000);
  assert.equal(provider.requests.filter(({ path }) => path.endsWith('/chat/completions')).length, 3);
  const analysis = await theAnswer('/analysis/');
  assert.deepEqual([analysis.pictures, analysis.waiting, analysis.ai_analysis], [3, 0, true]);
  const { captions: found } = await theAnswer('/get/search?q=red+boat');
  assert.deepEqual(found, [captions[0]]);
  assert.equal((await theAnswer('/get/search?like=p0&threshold=0')).count, 2);
  assert.deepEqual((await theAnswer('/get/search?q=asleep&mode=hybrid&threshold=1')).captions, [captions[2]]);
  assert.equal((await theAnswer('/analysis/', 'POST')).analysed, 3);
  assert.equal((await ask('/delete/p1', 'DELETE')).status, 200);
  const { captions: left } = await theAnswer('/get/search?q=green+tree&threshold=0');
  assert.deepEqual(new Set(left), new Set([captions[0], captions[2]]));
  assert.equal(left.length, 2);
});

test('what goes wrong keeps its code, its status and its sentence', async () => {
  await theError('/get/search?like=p1', 404, { code: 'object_not_found' });
  await theError('/get/search?like=no-such', 404, { code: 'object_not_found' });
  await service.upload(makeFilm({ seconds: 1 }), 'film', key);
  await theError('/get/search?like=vid-film', 409, { code: 'conflict', message: /this is a video/ });
  provider.behave({ kind: 'error', status: 429, headers: { 'Retry-After': '3600' } });
  await theError('/get/search?q=boat', 502, { code: 'provider_failed', message: /asked too often/ });
  provider.behave({ kind: 'error', status: 401 });
  await theError('/get/search?q=boat', 502, { code: 'provider_failed', message: /refused the API key/ });
  provider.behave({ kind: 'well' });
  assert.equal((await theAnswer('/get/search?q=red+boat')).count, 1);
});

test('what an account must know of its provider is told by every process', async () => {
  provider.behave({ kind: 'error', status: 401 });
  await service.upload(await picture(31, 21), 'refused', key);
  await eventually(async () => {
    const answers = await answersOf('/user/');
    const errors = answers.map(({ bytes }) => JSON.parse(bytes.toString()).ai_error as string | null);
    assert.match(errors.join(), /^The AI provider refused the API key[^,]*$/);
  });
  provider.behave({ kind: 'well' });
  assert.equal((await configure({ openai_api_key: provider.apiKey })).ai_error, null);
  assert.equal((await theAnswer('/user/')).ai_error, null);
});
