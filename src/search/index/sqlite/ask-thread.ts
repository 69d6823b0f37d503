// Asks the thread of the index. It is started by the first question; one that died fails the questions it had, and the next
// question starts another.
import { Worker } from 'node:worker_threads';
import type { Log } from '../../../platform/log.ts';
import type { IndexQuestions, IndexReply, IndexThreadData, QuestionKind } from './index-protocol.ts';

type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void };
type Running = {
  readonly thread: Worker;
  readonly waiting: Map<number, Waiting>;
  readonly ended: Promise<void>;
};

export type AskThread = {
  readonly ask: <Kind extends QuestionKind>(
    kind: Kind,
    question: IndexQuestions[Kind]['ask'],
  ) => Promise<IndexQuestions[Kind]['answer']>;
  /** After the questions asked before it. */
  readonly close: () => Promise<void>;
};

export function askThread(data: IndexThreadData, log?: Log): AskThread {
  let running: Running | null = null;
  let closed = false;
  let nextId = 1;

  function start(): Running {
    const thread = new Worker(new URL('./index-thread.ts', import.meta.url), { workerData: data });
    const waiting = new Map<number, Waiting>();
    let cause = new Error('The thread of the picture index has ended');
    thread.on('error', (error) => {
      log?.error({ err: error }, 'the thread of the picture index failed');
      cause = new Error('The thread of the picture index failed', { cause: error });
    });
    const ended = new Promise<void>((resolve) => {
      thread.on('exit', () => {
        if (running?.thread === thread) running = null;
        for (const { reject } of waiting.values()) reject(cause);
        resolve();
      });
    });
    thread.on('message', (reply: IndexReply | object) => {
      // Under --watch, Node tells on the same port which files the thread has loaded.
      if ('id' in reply) settle(waiting, reply);
      if (waiting.size === 0) thread.unref();
    });
    return { thread, waiting, ended };
  }

  return {
    ask(kind, question) {
      if (closed) return Promise.reject(new Error('The picture index is closed'));
      const { thread, waiting } = (running ??= start());
      return new Promise((resolve, reject) => {
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        thread.ref();
        thread.postMessage({ id, kind, ask: question });
      });
    },
    async close() {
      closed = true;
      if (!running) return;
      const { thread, ended } = running;
      thread.ref();
      thread.postMessage('close');
      await ended;
    },
  };
}

function settle(waiting: Map<number, Waiting>, reply: IndexReply): void {
  const asked = waiting.get(reply.id);
  waiting.delete(reply.id);
  if ('error' in reply) asked?.reject(new Error(`The picture index failed: ${reply.error}`));
  else asked?.resolve(reply.answer as never);
}
