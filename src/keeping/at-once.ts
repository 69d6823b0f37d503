// Works through a stream of things, several at a time, without taking more from it than can be worked on.

/** Rejects with the first fault, when what has begun is over. */
export async function forEachAtOnce<T>(
  things: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const faults: unknown[] = [];
  for await (const thing of things) {
    const one = work(thing)
      .catch((fault: unknown) => void faults.push(fault))
      .finally(() => running.delete(one));
    running.add(one);
    if (running.size >= atOnce) await Promise.race(running);
    if (faults.length > 0) break;
  }
  await Promise.all(running);
  if (faults.length > 0) throw faults[0];
}

export async function* inBatches<T>(things: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const thing of things) {
    batch.push(thing);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
