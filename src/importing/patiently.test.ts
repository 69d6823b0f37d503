import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectionError, TintypeError } from '../../client/src/index.ts';
import { ImportStopped } from './import-fault.ts';
import { patiently } from './patiently.ts';

const refused = (status: number, retryAfterSeconds: number | null = null): TintypeError =>
  new TintypeError('no', { status, code: 'unknown', requestId: null, retryAfterSeconds });
const never = new AbortController().signal;

function failing(...faults: Error[]) {
  let calls = 0;
  return {
    work: async (): Promise<number> => {
      const fault = faults[calls];
      calls += 1;
      if (fault) throw fault;
      return calls;
    },
    calls: () => calls,
  };
}

describe('patience with a service', () => {
  test('waits for one that is busy or away, as long as it says', async () => {
    const startedAt = performance.now();
    const busy = failing(refused(429, 2), new ConnectionError('away'));
    assert.equal(await patiently(busy.work, never), 3);
    assert.ok(performance.now() - startedAt >= 2000);
  });

  test('does not ask again for what will not change', async () => {
    for (const fault of [refused(400), refused(403), refused(415), new Error('of the source')]) {
      const once = failing(fault, fault);
      await assert.rejects(patiently(once.work, never), fault);
      assert.equal(once.calls(), 1);
    }
  });

  test('ends at once when somebody asks to stop', async () => {
    const stop = new AbortController();
    const busy = failing(refused(429, 600));
    setTimeout(() => stop.abort(), 50);
    await assert.rejects(patiently(busy.work, stop.signal), ImportStopped);
  });
});
