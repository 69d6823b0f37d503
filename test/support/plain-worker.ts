// A worker for tests of the pool: does as it is told, and nothing else.
import { ownUsage, type WorkerMessage } from '../../src/platform/workers/worker-process.ts';

export type PlainTask = {
  /** Percents to report, one every few milliseconds, before the answer. */
  readonly reports?: readonly number[];
  readonly everyMs?: number;
  /** Never answers. */
  readonly hangs?: boolean;
  /** Keeps the processor busy for so long. */
  readonly computesMs?: number;
};
export type PlainAnswer = { readonly kind: 'done'; readonly pid: number };

process.on('message', (task: PlainTask) => void answer(task));
process.on('disconnect', () => process.exit());
send({ kind: 'ready', ...ownUsage() });

async function answer({
  reports = [],
  everyMs = 5,
  hangs = false,
  computesMs = 0,
}: PlainTask): Promise<void> {
  for (const percent of reports) {
    send({ kind: 'progress', percent, ...ownUsage() });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  const until = performance.now() + computesMs;
  while (performance.now() < until);
  if (!hangs) send({ kind: 'answer', answer: { kind: 'done', pid: process.pid }, ...ownUsage() });
}

function send(message: WorkerMessage<PlainAnswer>): void {
  process.send?.(message);
}
