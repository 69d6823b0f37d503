// Which events were promised by the answers clients got, and whether a receiver was told of each: at least once, and under an
// id of its own however often.
import assert from 'node:assert/strict';
import { type Answer, json, type Request } from '../crash/api.ts';
import type { Receiver } from '../support/receivers.ts';

type Bulk = { action?: string };
type Results = { results: { object_id: string; status: string }[] };

export class PromisedEvents {
  /** `type object_id`, with what made each: an id may be used several times. */
  readonly #causes = new Map<string, Set<string>>();
  #anonymous = 0;

  /** To be told of every answer. */
  heard(path: string, { method, body, headers = {} }: Request, answer: Answer): void {
    if (answer.status !== 200) return;
    if (path === '/upload/' && method === 'POST')
      this.#add('object.created', json<{ object_id: string }>(answer).object_id, headers['Idempotency-Key']);
    if (path.startsWith('/delete/')) this.#add('object.deleted', path.slice('/delete/'.length));
    if (path === '/bulk/' && (body as Bulk).action === 'delete')
      for (const { object_id: id, status } of json<Results>(answer).results)
        if (status === 'success') this.#add('object.deleted', id);
  }

  get count(): number {
    return [...this.#causes.values()].reduce((sum, causes) => sum + causes.size, 0);
  }

  check(receiver: Receiver): void {
    const idsByName = Map.groupBy(receiver.received, ({ event }) => `${event.type} ${event.data.object_id}`);
    const missing = [...this.#causes].filter(([name, causes]) => {
      const told = new Set((idsByName.get(name) ?? []).map(({ id }) => id));
      return told.size < causes.size;
    });
    assert.deepEqual(
      missing.map(([name]) => name),
      [],
      'events were lost',
    );
  }

  /** Repeats under one key are one cause. */
  #add(type: string, objectId: string, key?: string): void {
    const name = `${type} ${objectId}`;
    const causes = this.#causes.get(name) ?? new Set();
    causes.add(key ?? `one of its own: ${(this.#anonymous += 1)}`);
    this.#causes.set(name, causes);
  }
}

/** Looks at every signature as it comes, as its owner would: later it would be too old. Gives the ids of those that are wrong. */
export function checkSignatures(receiver: Receiver, secret: string): string[] {
  const wrong: string[] = [];
  receiver.answerWith((one) => {
    try {
      receiver.verify(one, secret);
      return 200;
    } catch {
      wrong.push(one.id);
      return 400;
    }
  });
  return wrong;
}

/** The same id always brings the same words. */
export function checkRepeats(receiver: Receiver): void {
  for (const [id, copies] of Map.groupBy(receiver.received, (one) => one.id))
    assert.equal(new Set(copies.map(({ body }) => body)).size, 1, `${id} came in several forms`);
}
