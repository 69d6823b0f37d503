// A load generator in a process of its own, so that neither the bench's event loop nor another generator's delays what it
// measures. It begins at once, and hands over what it found when it is told to stop.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { watchChild } from './cleanup.ts';

export type Client<Result> = { stop(): Promise<Result> };

export async function startClient<Result>(file: string, options: object): Promise<Client<Result>> {
  const child = watchChild(fork(file, [JSON.stringify(options)]));
  const failed = once(child, 'exit').then(() =>
    Promise.reject(new Error(`${file} ended before it was told to`)),
  );
  await Promise.race([once(child, 'message'), failed]);
  return {
    async stop() {
      const answered = once(child, 'message');
      child.send('stop');
      const [result] = (await Promise.race([answered, failed])) as [Result];
      failed.catch(() => undefined);
      child.disconnect();
      return result;
    },
  };
}

/** In the process itself: runs until told to stop. */
export async function runClient<Options, Result>(
  run: (options: Options, isStopped: () => boolean) => Promise<Result>,
): Promise<void> {
  let stopped = false;
  process.on('message', () => (stopped = true));
  process.send?.('started');
  const result = await run(JSON.parse(process.argv[2] as string) as Options, () => stopped);
  process.send?.(result);
}
