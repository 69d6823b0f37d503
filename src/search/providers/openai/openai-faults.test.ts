import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { freePort } from '../../../../test/support/free-port.ts';
import {
  type Mode,
  type OpenAiStandIn,
  startOpenAiStandIn,
} from '../../../../test/support/openai-stand-in.ts';
import { picture } from '../../../../test/support/pictures.ts';
import { type AiProvider, type FaultKind, ProviderFault } from '../ai-provider.ts';
import { createOpenAiProvider, type OpenAiOptions } from './openai-provider.ts';

const { signal } = new AbortController();
const apiKey = 'sk-canary-d41d8cd98f00b204';
const captioned = 'canary caption of two boats';
const question = 'canary question of boats';

let folder: string;
let path: string;
let sizeBytes: number;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openai-faults-'));
  path = join(folder, 'picture.jpg');
  const jpeg = await picture(64, 64);
  sizeBytes = jpeg.length;
  // As our variants are: what follows the picture is not sent.
  await writeFile(path, Buffer.concat([jpeg, Buffer.from('trailer')]));
});
after(() => rm(folder, { recursive: true }));

let openAi: OpenAiStandIn;
beforeEach(async () => {
  openAi = await startOpenAiStandIn({ apiKey, caption: () => captioned });
});
afterEach(() => openAi.close());

const onlyOneTry = (deadlineMs: number): NonNullable<OpenAiOptions['patience']> => ({
  captionMs: deadlineMs,
  captionVector: { deadlineMs, leastLeftMs: deadlineMs },
  question: { deadlineMs, leastLeftMs: deadlineMs },
});
const provider = (more: Partial<OpenAiOptions> = {}): AiProvider =>
  createOpenAiProvider({
    baseUrl: openAi.url,
    apiKey,
    captionModel: openAi.captionModel,
    embeddingModel: openAi.embeddingModel,
    dimensions: 8,
    audience: { audience: 'operator' },
    knownDimensions: () => Promise.resolve([8]),
    patience: onlyOneTry(5000),
    ...more,
  });

/** Whatever goes wrong must say so without key, address or content, wherever an error keeps words. */
async function faultOf(work: Promise<unknown>): Promise<ProviderFault> {
  const fault = await work.then(
    () => assert.fail('no fault'),
    (error: unknown) => error,
  );
  assert.ok(fault instanceof ProviderFault, inspect(fault));
  assert.equal(fault.cause, undefined);
  const everything = [
    inspect(fault, { depth: 10, showHidden: true }),
    JSON.stringify(fault),
    fault.stack,
  ].join('\n');
  assert.doesNotMatch(everything, /canary|base64|Bearer|127\.0\.0\.1:|elsewhere|Incorrect/);
  assert.match(fault.message, /^[A-Z][ -~]{10,250}$/);
  return fault;
}

const rightButLong = JSON.stringify({
  choices: [{ message: { content: 'Two boats.' } }],
  data: [{ embedding: [1, 2, 3, 4, 5, 6, 7, 8] }],
  padding: 'x'.repeat(10_000_000),
});

const both: [string, Mode, FaultKind, FaultKind][] = [
  ['a wrong key', { kind: 'error', status: 401 }, 'settings', 'settings'],
  ['no right', { kind: 'error', status: 403 }, 'settings', 'settings'],
  ['an unknown path or model', { kind: 'error', status: 404 }, 'settings', 'settings'],
  ['a bad request', { kind: 'error', status: 400 }, 'picture', 'answer'],
  ['too large', { kind: 'error', status: 413 }, 'picture', 'answer'],
  ['too many calls', { kind: 'error', status: 429 }, 'busy', 'busy'],
  ['a fault of its own', { kind: 'error', status: 500 }, 'unavailable', 'unavailable'],
  ['a redirect', { kind: 'redirect' }, 'unavailable', 'unavailable'],
  ['a cut connection', { kind: 'cut' }, 'unavailable', 'unavailable'],
  ['silence', { kind: 'hang' }, 'unavailable', 'unavailable'],
  ['slowness', { kind: 'slow', byMs: 5000 }, 'unavailable', 'unavailable'],
  ['garbage', { kind: 'body', body: '<html>canary</html>' }, 'answer', 'answer'],
  ['nothing', { kind: 'body', body: '' }, 'answer', 'answer'],
  ['half an answer', { kind: 'body', body: '{"choices":[{"message":{"con' }, 'answer', 'answer'],
  ['another shape', { kind: 'body', body: '{"error":{"message":"canary"}}' }, 'answer', 'answer'],
  ['depth', { kind: 'body', body: '['.repeat(400_000) + ']'.repeat(400_000) }, 'answer', 'answer'],
  ['10 MB', { kind: 'body', body: rightButLong }, 'answer', 'answer'],
];

const ofVectors: [string, (vector: number[]) => unknown][] = [
  ['too few numbers', (vector) => vector.slice(1)],
  ['too many', (vector) => [...vector, 0.5]],
  ['NaN as null', ([, ...others]) => [null, ...others]],
  ['NaN as text', ([, ...others]) => ['NaN', ...others]],
  ['zeros', (vector) => vector.map(() => 0)],
  ['none', () => []],
  ['an object', (vector) => Object.fromEntries(vector.entries())],
  ['text', () => 'canary'],
];

describe('a fault of the server', () => {
  for (const [name, mode, ofCaption, ofVector] of both) {
    test(`${name}: with a caption, with its vector, with a question`, async () => {
      const isLate = mode.kind === 'hang' || mode.kind === 'slow';
      const patient = provider({ patience: onlyOneTry(isLate ? 300 : 5000) });
      const analyse = () => patient.analyse({ path, sizeBytes, caption: null }, signal);
      openAi.behave(mode, { to: '/chat/completions' });
      assert.equal((await faultOf(analyse())).kind, ofCaption);
      assert.equal(openAi.requests.length, 1);
      openAi.behave(mode, { to: '/embeddings' });
      assert.equal((await faultOf(analyse())).kind, ofVector);
      assert.equal((await faultOf(patient.embed(question, signal))).kind, ofVector);
    });
  }

  for (const [name, change] of ofVectors) {
    test(`${name} instead of a vector`, async () => {
      openAi.behave({ kind: 'vector', change });
      const work = provider().analyse({ path, sizeBytes, caption: captioned }, signal);
      assert.equal((await faultOf(work)).kind, 'answer');
      assert.equal((await faultOf(provider().embed(question, signal))).kind, 'answer');
    });
  }

  test('is over when the server is well again', async () => {
    openAi.behave({ kind: 'cut' }, { times: 1 });
    await faultOf(provider().embed(question, signal));
    assert.equal((await provider().embed(question, signal)).length, 8);
  });

  test('a wait it asks for is passed on', async () => {
    openAi.behave({ kind: 'error', status: 429, headers: { 'Retry-After': '17' } });
    assert.equal(
      (await faultOf(provider().analyse({ path, sizeBytes, caption: null }, signal))).retryAfterMs,
      17_000,
    );
    openAi.behave({ kind: 'error', status: 503, headers: { 'Retry-After': '18' } });
    assert.equal((await faultOf(provider().embed(question, signal))).retryAfterMs, 18_000);
  });

  test('a share of failing calls leaves nothing but answers and faults', async () => {
    openAi.behave({ kind: 'flaky', share: 0.5, seed: 7 });
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () =>
        provider()
          .embed(question, signal)
          .then(
            () => 'well',
            async (error: unknown) => (await faultOf(Promise.reject(error))).kind,
          ),
      ),
    );
    assert.ok(outcomes.filter((outcome) => outcome === 'well').length >= 8, String(outcomes));
    assert.ok(new Set(outcomes).size >= 3, String(outcomes));
  });
});

describe('a refusal', () => {
  test('to describe a picture is a fault of that picture', async () => {
    const body = JSON.stringify({ choices: [{ message: { content: null, refusal: 'canary: I cannot.' } }] });
    openAi.behave({ kind: 'body', body }, { to: '/chat/completions' });
    assert.equal(
      (await faultOf(provider().analyse({ path, sizeBytes, caption: null }, signal))).kind,
      'picture',
    );
    assert.equal(openAi.requests.length, 1);
  });

  test('of a file that is no small JPEG is one too', async () => {
    for (const [name, file] of [
      ['large.jpg', picture(513, 20)],
      ['other.png', picture(64, 64, 'png')],
    ] as const) {
      const other = join(folder, name);
      await writeFile(other, await file);
      const { kind, message } = await faultOf(
        provider().analyse({ path: other, sizeBytes, caption: null }, signal),
      );
      assert.equal(kind, 'picture');
      assert.equal(message, 'The AI provider does not take this picture (400, invalid_image_format)');
    }
  });

  test('of the key says what to do', async () => {
    const stranger = provider({ apiKey: 'sk-canary-of-another' });
    const { kind, message } = await faultOf(stranger.embed(question, signal));
    assert.equal(kind, 'settings');
    assert.equal(message, 'The AI provider refused the API key; set another one in the account settings');
  });

  test('of a model names it', async () => {
    const mistaken = provider({ captionModel: 'gpt-none', embeddingModel: 'embedding-none' });
    const caption = await faultOf(mistaken.analyse({ path, sizeBytes, caption: null }, signal));
    const vector = await faultOf(mistaken.embed(question, signal));
    assert.match(caption.message, /caption model gpt-none/);
    assert.match(vector.message, /embedding model embedding-none/);
    assert.deepEqual([caption.kind, vector.kind], ['settings', 'settings']);
  });
});

describe('an address', () => {
  const account = (allowPrivate: boolean) => ({ audience: { audience: 'account', allowPrivate } as const });

  test('inside is refused to accounts before anything is sent', async () => {
    const { kind, message } = await faultOf(provider(account(false)).embed(question, signal));
    assert.equal(kind, 'settings');
    assert.match(message, /not on the public internet/);
    assert.equal(
      (await faultOf(provider(account(false)).analyse({ path, sizeBytes, caption: null }, signal))).kind,
      'settings',
    );
    assert.equal(openAi.requests.length, 0);
    await provider(account(true)).embed(question, signal);
    assert.equal(openAi.requests.length, 1);
  });

  test('whose name leads inside is refused too', async () => {
    const audience = {
      audience: 'account',
      allowPrivate: false,
      resolve: async () => ['127.0.0.1'],
    } as const;
    const baseUrl = openAi.url.replace('127.0.0.1', 'ai.example.com');
    assert.equal((await faultOf(provider({ baseUrl, audience }).embed(question, signal))).kind, 'settings');
    assert.equal(openAi.requests.length, 0);
  });

  test('where nobody is, is unavailable', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}/v1`;
    const { kind, message } = await faultOf(provider({ baseUrl }).embed(question, signal));
    assert.deepEqual([kind, message], ['unavailable', 'The AI provider cannot be reached (ECONNREFUSED)']);
  });

  test('or a key that cannot be used at all is a matter of settings', async () => {
    for (const baseUrl of ['canary', 'ftp://canary.example', 'http://', ''])
      assert.equal((await faultOf(provider({ baseUrl }).embed(question, signal))).kind, 'settings', baseUrl);
    const work = provider({ apiKey: 'sk-canary\n' }).embed(question, signal);
    assert.equal((await faultOf(work)).kind, 'settings');
  });
});
