import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Lru } from './lru.ts';

type Entry = { key: string; value: number; weight: number; movedAt: number };

/** What it should do, written as an array: last are those used since the last addition, in the order of their first use. */
class ModelLru {
  entries: Entry[] = [];
  additions = 0;
  readonly maxWeight: number;
  constructor(maxWeight: number) {
    this.maxWeight = maxWeight;
  }
  get weight(): number {
    return this.entries.reduce((sum, entry) => sum + entry.weight, 0);
  }
  get(key: string): number | undefined {
    const found = this.entries.find((entry) => entry.key === key);
    if (found && found.movedAt !== this.additions) {
      found.movedAt = this.additions;
      this.entries = [...this.entries.filter((entry) => entry !== found), found];
    }
    return found?.value;
  }
  set(key: string, value: number, weight: number): void {
    this.delete(key);
    if (weight > this.maxWeight) return;
    this.additions += 1;
    this.entries.push({ key, value, weight, movedAt: this.additions });
    while (this.weight > this.maxWeight) this.entries.shift();
  }
  delete(key: string): void {
    this.entries = this.entries.filter((entry) => entry.key !== key);
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const step = fc.oneof(
  fc.record({ do: fc.constant('get' as const), key }),
  fc.record({ do: fc.constant('delete' as const), key }),
  fc.record({
    do: fc.constant('set' as const),
    key,
    value: fc.nat(99),
    weight: fc.integer({ min: 0, max: 12 }),
  }),
);

describe('Lru', () => {
  test('does what the model does, whatever is asked of it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), fc.array(step, { maxLength: 80 }), (maxWeight, steps) => {
        const lru = new Lru<string, number>(maxWeight);
        const model = new ModelLru(maxWeight);
        for (const each of steps) {
          if (each.do === 'get') assert.equal(lru.get(each.key), model.get(each.key));
          else if (each.do === 'delete') {
            lru.delete(each.key);
            model.delete(each.key);
          } else {
            lru.set(each.key, each.value, each.weight);
            model.set(each.key, each.value, each.weight);
          }
          assert.equal(lru.weight, model.weight);
          assert.ok(lru.weight <= maxWeight);
          assert.deepEqual(
            [...lru.values()],
            model.entries.map(({ value }) => value),
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  test('what was used last stays, what was not goes first', () => {
    const lru = new Lru<string, number>(2);
    lru.set('old', 1);
    lru.set('newer', 2);
    assert.equal(lru.get('old'), 1);
    lru.set('newest', 3);
    assert.equal(lru.get('newer'), undefined);
    assert.equal(lru.get('old'), 1);
  });

  test('what is too heavy is not kept, and what it replaced is gone', () => {
    const lru = new Lru<string, number>(10);
    lru.set('key', 1, 5);
    lru.set('other', 2, 5);
    lru.set('key', 3, 11);
    assert.equal(lru.get('key'), undefined);
    assert.equal(lru.get('other'), 2);
    assert.equal(lru.weight, 5);
  });
});
