/** Like Promise.all, but when one fails it waits for the others too: nothing that uses what they use may still be at work. */
export async function allEnded(work: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(work))
    if (outcome.status === 'rejected') throw outcome.reason;
}
