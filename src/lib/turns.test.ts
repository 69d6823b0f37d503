import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Turns } from './turns.ts';

describe('turns', () => {
  test('come one after another, in the order of asking', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const take = async (name: string): Promise<void> => {
      const end = await turns.take();
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      end();
    };
    await Promise.all(['a', 'b', 'c'].map(take));
    assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('to end one twice changes nothing', async () => {
    const turns = new Turns();
    const end = await turns.take();
    end();
    end();
    const second = await turns.take();
    let third = false;
    const waiting = turns.take().then(() => void (third = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(third, false);
    second();
    await waiting;
  });
});
