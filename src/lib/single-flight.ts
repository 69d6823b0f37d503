// Lets many who ask for the same thing at once share one piece of work. Nothing is kept once the work is done.

export type SingleFlight<Value> = (key: string, work: () => Promise<Value>) => Promise<Value>;

export function createSingleFlight<Value>(): SingleFlight<Value> {
  const running = new Map<string, Promise<Value>>();

  return (key, work) => {
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const started = work().finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}
