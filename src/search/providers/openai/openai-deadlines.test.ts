import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { type OpenAiStandIn, startOpenAiStandIn } from '../../../../test/support/openai-stand-in.ts';
import type { AiProvider } from '../ai-provider.ts';
import { createOpenAiProvider, type OpenAiOptions } from './openai-provider.ts';

const { signal } = new AbortController();

function settings({ url, apiKey, captionModel, embeddingModel }: OpenAiStandIn): OpenAiOptions {
  return {
    baseUrl: url,
    apiKey,
    captionModel,
    embeddingModel,
    dimensions: 512,
    audience: { audience: 'operator' },
    knownDimensions: () => Promise.resolve([]),
  };
}

describe('somebody who waits for an answer to a question', { concurrency: false }, () => {
  let openAi: OpenAiStandIn;
  let provider: AiProvider;
  beforeEach(async () => {
    openAi = await startOpenAiStandIn();
    provider = createOpenAiProvider(settings(openAi));
  });
  afterEach(() => openAi.close());

  for (const mode of [
    { kind: 'error', status: 500 },
    { kind: 'error', status: 429 },
    { kind: 'error', status: 429, headers: { 'Retry-After': '1' } },
    { kind: 'cut' },
  ] as const) {
    test(`gets it when only the first try fails: ${JSON.stringify(mode)}`, async () => {
      openAi.behave(mode, { times: 1 });
      assert.equal((await provider.embed('boats', signal)).length, 512);
      assert.equal(openAi.requests.length, 2);
    });
  }

  test('is told soon when the second fails as well', async () => {
    openAi.behave({ kind: 'error', status: 500 });
    const startedAt = performance.now();
    await assert.rejects(provider.embed('boats', signal), { kind: 'unavailable' });
    assert.equal(openAi.requests.length, 2);
    assert.ok(performance.now() - startedAt < 4000);
  });

  test('is told at once when trying again makes no sense', async () => {
    const hopeless = [
      { kind: 'error', status: 401 },
      { kind: 'error', status: 429, headers: { 'Retry-After': '6' } },
      { kind: 'error', status: 429, error: { code: 'insufficient_quota' } },
      { kind: 'body', body: 'garbage' },
    ] as const;
    for (const mode of hopeless) {
      openAi.requests.length = 0;
      openAi.behave(mode);
      const startedAt = performance.now();
      await assert.rejects(provider.embed('boats', signal));
      assert.equal(openAi.requests.length, 1, JSON.stringify(mode));
      assert.ok(performance.now() - startedAt < 4000);
    }
  });

  test('is told when the time is over and nothing came', async () => {
    const hasty = createOpenAiProvider({
      ...settings(openAi),
      patience: { question: { deadlineMs: 600, leastLeftMs: 300 } },
    });
    openAi.behave({ kind: 'hang' });
    const startedAt = performance.now();
    await assert.rejects(hasty.embed('boats', signal), {
      kind: 'unavailable',
      message: 'The AI provider did not answer in time',
    });
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs > 550 && tookMs < 2000, String(tookMs));
    assert.equal(openAi.requests.length, 1);
  });

  test('is told after eight seconds when the second try hangs', async () => {
    openAi.behave({ kind: 'error', status: 500, headers: { 'Retry-After': '3' } }, { times: 1 });
    const startedAt = performance.now();
    const asked = provider.embed('boats', signal);
    // While the first try is paused over, the server turns silent.
    await eventually(() => assert.equal(openAi.requests.length, 1));
    openAi.behave({ kind: 'hang' });
    await assert.rejects(asked, { kind: 'unavailable' });
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs > 7900 && tookMs < 9000, String(tookMs));
    assert.equal(openAi.requests.length, 2);
  });

  test('can give up at any moment', async () => {
    const given = { kind: 'unavailable', message: 'The call of the AI provider was given up' };
    await assert.rejects(provider.embed('boats', AbortSignal.abort()), given);
    assert.equal(openAi.requests.length, 0);
    openAi.behave({ kind: 'hang' });
    const during = new AbortController();
    const asked = assert.rejects(provider.embed('boats', during.signal), given);
    await eventually(() => assert.equal(openAi.requests.length, 1));
    during.abort(new Error('sk-canary'));
    await asked;
    openAi.behave({ kind: 'error', status: 429, headers: { 'Retry-After': '4' } });
    const between = new AbortController();
    const paused = assert.rejects(provider.embed('boats', between.signal), { kind: 'unavailable' });
    await eventually(() => assert.equal(openAi.requests.length, 2));
    between.abort();
    await paused;
    assert.equal(openAi.requests.length, 2);
  });
});
