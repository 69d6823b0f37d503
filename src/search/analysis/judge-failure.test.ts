import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../platform/errors.ts';
import { type FaultKind, ProviderFault } from '../providers/ai-provider.ts';
import { judgeFailure } from './judge-failure.ts';

const fault = (kind: FaultKind, retryAfterMs: number | null = null) =>
  new ProviderFault(kind, `why ${kind}`, retryAfterMs);

describe('an analysis that failed', () => {
  test('for the account’s settings or a busy provider: a pause, and the picture is never given up', () => {
    for (const kind of ['settings', 'busy'] as const) {
      const judged = judgeFailure(fault(kind, 7000), 1000);
      assert.deepEqual(
        [judged.pause, judged.pauseMs, judged.dead, judged.error],
        [kind, 7000, false, `why ${kind}`],
      );
    }
  });

  test('for the picture, the answer or an outage: tried again so often, later each time', () => {
    for (const [kind, attempts] of [
      ['picture', 3],
      ['answer', 8],
      ['unavailable', 150],
    ] as const) {
      assert.equal(judgeFailure(fault(kind), attempts - 2).dead, false, kind);
      assert.equal(judgeFailure(fault(kind), attempts - 1).dead, true, kind);
    }
    for (let before = 0; before < 12; before++) {
      const { attempts, retryAfterMs, pause } = judgeFailure(fault('unavailable'), before);
      const usual = Math.min(600_000, 2000 * 2 ** before);
      assert.ok(retryAfterMs >= usual * 0.75 && retryAfterMs <= usual * 1.25, `${retryAfterMs} ms`);
      assert.deepEqual([attempts, pause], [before + 1, null]);
    }
    assert.ok(judgeFailure(fault('unavailable', 90_000), 0).retryAfterMs >= 90_000);
  });

  test('because no decoder takes the picture: given up at once', () => {
    const judged = judgeFailure(new AppError('undecodable'), 0);
    assert.deepEqual([judged.dead, judged.isOfProvider], [true, false]);
    assert.equal(judged.error, 'The file cannot be decoded');
  });

  test('through a fault of ours: tried again, and nothing of it is told', () => {
    const judged = judgeFailure(new Error('/secret/path is missing'), 0);
    assert.deepEqual(
      [judged.dead, judged.isOfProvider, judged.error],
      [false, false, 'Something went wrong on our side'],
    );
    assert.equal(judgeFailure(new AppError('overloaded'), 0).dead, false);
  });
});
