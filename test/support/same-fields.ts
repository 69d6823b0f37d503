// Whether an answer has exactly the fields that are documented, with values of the same kind, however deep.
import assert from 'node:assert/strict';

export function assertSameFields(actual: unknown, documented: unknown, where = 'the answer'): void {
  if (actual === null || documented === null) return;
  assert.equal(kindOf(actual), kindOf(documented), `${where} is another kind of value: ${shown(actual)}`);
  if (Array.isArray(documented)) {
    const [first] = actual as unknown[];
    if (documented.length === 0) return;
    assert.ok(first !== undefined, `${where} is documented with something in it and is empty`);
    assertSameFields(first, documented[0], `${where}[0]`);
  } else if (typeof documented === 'object') {
    assert.deepEqual(
      Object.keys(actual as object).toSorted(),
      Object.keys(documented as object).toSorted(),
      `${where} has other fields: ${shown(actual)}`,
    );
    for (const [name, value] of Object.entries(documented as object))
      assertSameFields((actual as Record<string, unknown>)[name], value, `${where}.${name}`);
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 500);
}
