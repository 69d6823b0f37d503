// How far a long command is: a bar where somebody looks on, now and then a line where the output goes to a file.
import { SingleBar } from 'cli-progress';

const lineEveryMs = 2000;

export type Progress = { advance(by: number, note?: string): void; stop(): void };

/** `total` is null where nobody knows it beforehand. */
export function startProgress(label: string, total: number | null): Progress {
  return process.stdout.isTTY && process.stderr.isTTY ? startBar(label, total) : startLines(label, total);
}

function startBar(label: string, total: number | null): Progress {
  const measure = total === null ? '{value}' : '[{bar}] {value}/{total} {eta_formatted}';
  const bar = new SingleBar({
    format: `${label} ${measure} {note}`,
    etaBuffer: 500,
    clearOnComplete: true,
    // Its own way of stopping on Ctrl-C would end the process before what has begun is finished.
    gracefulExit: false,
  });
  bar.start(total ?? 0, 0, { note: '' });
  return {
    advance: (by, note = '') => bar.increment(by, { note }),
    stop: () => bar.stop(),
  };
}

function startLines(label: string, total: number | null): Progress {
  let done = 0;
  let latestNote = '';
  const tell = (): void =>
    console.error(`${label} ${done}${total === null ? '' : `/${total}`} ${latestNote}`.trimEnd());
  const timer = setInterval(tell, lineEveryMs).unref();
  return {
    advance(by, note = '') {
      done += by;
      latestNote = note;
    },
    stop: () => clearInterval(timer),
  };
}
