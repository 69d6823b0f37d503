import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FaultKind } from '../ai-provider.ts';
import { faultOf, type Purpose, readRefusal, refusesDimensions } from './refusal.ts';

const apiKey = 'sk-very-secret-key';
const model = 'some-model';

const refusalOf = (status: number, body: unknown, headers = {}) =>
  readRefusal({ status, headers, body: Buffer.from(JSON.stringify(body) ?? '') }, Date.now());
const faultAt = (purpose: Purpose, status: number, body: unknown = {}, headers = {}) =>
  faultOf(refusalOf(status, body, headers), { purpose, model, apiKey });

describe('what a refusal means', () => {
  test('follows from its status', () => {
    const kinds: [number, FaultKind, FaultKind][] = [
      [301, 'unavailable', 'unavailable'],
      [307, 'unavailable', 'unavailable'],
      [400, 'picture', 'answer'],
      [401, 'settings', 'settings'],
      [402, 'busy', 'busy'],
      [403, 'settings', 'settings'],
      [404, 'settings', 'settings'],
      [405, 'settings', 'settings'],
      [408, 'unavailable', 'unavailable'],
      [409, 'unavailable', 'unavailable'],
      [413, 'picture', 'answer'],
      [415, 'picture', 'answer'],
      [418, 'picture', 'answer'],
      [422, 'picture', 'answer'],
      [429, 'busy', 'busy'],
      [500, 'unavailable', 'unavailable'],
      [503, 'unavailable', 'unavailable'],
      [529, 'unavailable', 'unavailable'],
    ];
    for (const [status, caption, vector] of kinds) {
      assert.equal(faultAt('caption', status).kind, caption, `caption ${status}`);
      assert.equal(faultAt('vector', status).kind, vector, `vector ${status}`);
    }
  });

  test('of a model that is unknown is a matter of settings, and names it', () => {
    const bodies = [
      [400, { error: { message: 'x', code: 'model_not_found' } }],
      [403, { error: { message: 'Project `p` does not have access', code: 'model_not_found' } }],
      [400, { error: { message: 'No models loaded. Please load one.', param: null } }],
      [400, { error: { message: 'bad value', param: 'model' } }],
      [400, { error: { message: 'some-model is not a valid model ID; invalid model' } }],
      [404, { error: 'model "some-model" not found, try pulling it first' }],
      [404, { detail: 'Not Found' }],
    ] as const;
    for (const [status, body] of bodies) {
      assert.match(
        faultAt('caption', status, body).message,
        /caption model some-model/,
        JSON.stringify(body),
      );
      assert.match(
        faultAt('vector', status, body).message,
        /embedding model some-model/,
        JSON.stringify(body),
      );
      assert.equal(faultAt('vector', status, body).kind, 'settings');
    }
  });

  test('of a model that cannot see is a matter of settings, not of each picture', () => {
    const sentences: [number, string][] = [
      [400, 'Invalid content type. image_url is only supported by certain models.'],
      [400, 'some-model is not a multimodal model'],
      [400, 'At most 0 image(s) may be provided in one request.'],
      [404, 'No endpoints found that support image input'],
      [500, 'image input is not supported - hint: you may need to provide the mmproj'],
      [400, 'This model does not support images.'],
      [500, 'this model is missing data required for image input'],
    ];
    for (const [status, message] of sentences) {
      const fault = faultAt('caption', status, { error: { message } });
      assert.deepEqual(
        [fault.kind, /does not take pictures/.test(fault.message)],
        ['settings', true],
        message,
      );
    }
    for (const message of ['You uploaded an unsupported image.', 'The model does not support image format x'])
      assert.equal(faultAt('caption', 400, { error: { message } }).kind, 'picture', message);
  });

  test('tells how long to wait, ten minutes when there is no credit', () => {
    const wait = { 'retry-after': '7' };
    for (const status of [429, 500, 503])
      assert.equal(faultAt('caption', status, {}, wait).retryAfterMs, 7000, String(status));
    assert.equal(faultAt('caption', 429).retryAfterMs, null);
    for (const error of [{ code: 'insufficient_quota' }, { type: 'insufficient_quota', code: null }]) {
      const fault = faultAt('vector', 429, { error }, wait);
      assert.deepEqual([fault.kind, fault.retryAfterMs], ['busy', 600_000]);
      assert.match(fault.message, /no credit left/);
    }
  });

  test('shows nothing of what the server wrote but a plain code', () => {
    const written = { message: `Wrong: ${apiKey} at http://inside:1/ for a boat`, param: apiKey };
    const shown = (code: unknown) => faultAt('caption', 400, { error: { ...written, code } }).message;
    const plain = 'The AI provider does not take this picture (400)';
    assert.equal(shown('content_policy_violation'), plain.replace(')', ', content_policy_violation)'));
    for (const code of [
      apiKey,
      'secret',
      'x'.repeat(60),
      'two words',
      'a\u0000b',
      'http://inside',
      7,
      {},
      null,
    ])
      assert.equal(shown(code), plain, JSON.stringify(code));
    for (const status of [302, 400, 401, 404, 413, 429, 500]) {
      const { message } = faultAt('caption', status, { error: { ...written, code: apiKey } });
      assert.doesNotMatch(message, /secret|inside|boat/, message);
    }
  });

  test('of dimensions can be told from others', () => {
    const vllm =
      'Model "x" does not support matryoshka representation, changing output dimensions will lead to poor results.';
    const is = (status: number, body: unknown): boolean => refusesDimensions(refusalOf(status, body));
    assert.ok(is(400, { error: { message: 'This model does not support specifying dimensions.' } }));
    assert.ok(is(400, { error: { message: 'Bad value', param: 'dimensions' } }));
    assert.ok(is(400, { object: 'error', message: vllm, code: 400 }));
    assert.ok(is(422, { detail: 'extra fields not permitted: dimensions' }));
    assert.ok(is(422, { detail: [{ loc: ['body', 'dimensions'], msg: 'Extra inputs are not permitted' }] }));
    assert.ok(!is(500, { error: { message: 'dimensions' } }));
    assert.ok(!is(400, { error: { message: 'input is too long' } }));
    assert.ok(!is(400, null));
    assert.ok(!is(400, undefined));
  });
});
