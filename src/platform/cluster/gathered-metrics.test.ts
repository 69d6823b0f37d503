import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMetrics } from '../metrics.ts';
import { GatheredMetrics } from './gathered-metrics.ts';

function counted(times: number) {
  const metrics = createMetrics();
  for (let i = 0; i < times; i++) metrics.countDelivery('memory');
  metrics.gauge('tintype_test_gauge', 'A gauge', () => times);
  return () => metrics.snapshot();
}

describe('metrics of several processes', () => {
  test('counters stay when processes end, at every moment, and gauges go with them', async () => {
    const gathered = new GatheredMetrics();
    const all = [counted(1), counted(20), counted(300)].map((snapshot, pid) => ({ pid, snapshot }));
    const look = async (processes: typeof all): Promise<(string | undefined)[]> => {
      const text = await gathered.text(processes);
      return [
        /^tintype_deliveries_total.* (\d+)$/m.exec(text)?.[1],
        /^tintype_test_gauge (\d+)$/m.exec(text)?.[1],
      ];
    };
    assert.deepEqual(await look(all), ['321', '321']);
    gathered.ended(1);
    gathered.ended(2);
    assert.deepEqual(await look(all.slice(0, 1)), ['321', '1']);
  });

  test('one that does not answer counts with what it said last', async () => {
    const gathered = new GatheredMetrics();
    await gathered.text([{ pid: 1, snapshot: counted(7) }]);
    const text = await gathered.text([{ pid: 1, snapshot: () => Promise.reject(new Error('gone')) }]);
    assert.match(text, /^tintype_deliveries_total.* 7$/m);
  });
});
