// Calls between two processes over the channel that joins them: each side says what it answers and asks the other by
// name. Errors meant for clients travel whole; of any other only the fact does, and its text stays in the log here.
import type { Worker } from 'node:cluster';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Log } from '../log.ts';

/** What one side answers. Arguments and results must survive JSON. */
export type Answers = Record<string, (argument: never) => unknown>;
export type Ask<Theirs extends Answers> = <Name extends keyof Theirs & string>(
  name: Name,
  ...argument: Parameters<Theirs[Name]>
) => Promise<Awaited<ReturnType<Theirs[Name]>>>;

type CarriedError = { code: ErrorCode; message: string; headers: Record<string, string> };
type Call = { call: string; id: number; argument: unknown };
type Answer = { answerTo: number; value?: unknown; error?: CarriedError };
type Waiting = { resolve: (value: unknown) => void; reject: (error: AppError) => void };

/** Messages from before this call are lost: the side that starts later speaks first. */
export function connectCalls<Theirs extends Answers>(channel: Worker, mine: Answers, log: Log): Ask<Theirs> {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;

  async function answer({ call, id, argument }: Call): Promise<void> {
    const handler = mine[call] as ((argument: unknown) => unknown) | undefined;
    try {
      if (!handler) throw new Error('Nobody answers this call');
      send({ answerTo: id, value: await handler(argument) });
    } catch (error) {
      send({ answerTo: id, error: toCarried(error, call, log) });
    }
  }

  function settle({ answerTo, value, error }: Answer): void {
    const asked = waiting.get(answerTo);
    waiting.delete(answerTo);
    if (error) asked?.reject(new AppError(error.code, error.message, { headers: error.headers }));
    else asked?.resolve(value);
  }

  function send(message: Call | Answer, failed: () => void = () => undefined): void {
    // A process may end at any moment; its end is heard as a disconnect.
    if (channel.isConnected()) channel.send(message, undefined, (error) => error && failed());
    else failed();
  }

  channel.on('message', (message: Partial<Call & Answer> | null) => {
    // Node itself sends others when it runs with --watch.
    if (typeof message?.call === 'string') void answer(message as Call);
    else if (typeof message?.answerTo === 'number') settle(message as Answer);
  });
  channel.once('disconnect', () => {
    for (const { reject } of waiting.values()) reject(new AppError('shutting_down'));
    waiting.clear();
  });
  return (name, ...[argument]) =>
    new Promise((resolve, reject) => {
      const id = nextId++;
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      send({ call: name, id, argument }, () => {
        waiting.delete(id);
        reject(new AppError('shutting_down'));
      });
    });
}

function toCarried(error: unknown, call: string, log: Log): CarriedError {
  const known = error instanceof AppError ? error : new AppError('internal', undefined, { cause: error });
  // The other side logs that the request failed; only here is it known why.
  if (known.status >= 500 && known.cause !== undefined)
    log.error({ err: known.cause, code: known.code, call }, 'call failed');
  return { code: known.code, message: known.message, headers: known.headers };
}
