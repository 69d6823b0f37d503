// System calls of the running service, seen or made to fail by strace.
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

const straceWorks = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
export const skipWithoutStrace = straceWorks ? false : 'NOT PROVEN HERE: strace is missing or may not trace';

export type Call = {
  name: string;
  text: string;
  /** The file it acts on: the path of its first descriptor, or its last path argument. */
  path: string;
  /** Lines of the trace at which it began and ended. */
  begun: number;
  ended: number;
  /** What it returned; undefined for a call that the process did not live to see the end of. */
  result: number | undefined;
};

/** A call of one thread may be split by lines of another: `… <unfinished ...>`, later `<... name resumed>`. */
export function readTrace(file: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, Call>();
  for (const [line, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    const [, thread = '', resumed, name, rest = ''] =
      /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/.exec(text) ?? [];
    const before = unfinished.get(thread);
    if (resumed && before) {
      before.ended = line;
      before.result = resultOf(rest);
      unfinished.delete(thread);
    }
    if (!name) continue;
    const call = {
      name: name.replace(/at2?$/, ''),
      text: rest,
      path: pathOf(rest),
      begun: line,
      ended: line,
      result: resultOf(rest),
    };
    calls.push(call);
    if (!rest.endsWith('<unfinished ...>')) continue;
    call.ended = Number.POSITIVE_INFINITY;
    unfinished.set(thread, call);
  }
  return withSyncsOfWrites(calls);
}

/** Each write to a file that was opened with O_SYNC has its fsync within: told as one that follows it at once. */
function withSyncsOfWrites(calls: readonly Call[]): Call[] {
  const synced = new Set<string>();
  return calls.flatMap((call) => {
    if (call.name === 'open') {
      if (call.text.includes('O_SYNC')) synced.add(call.path);
      else synced.delete(call.path);
    }
    const isSynced = /^p?write/.test(call.name) && synced.has(call.path) && (call.result ?? -1) >= 0;
    if (!isSynced) return [call];
    const sync = {
      ...call,
      name: 'fsync',
      text: '',
      begun: call.ended + 0.1,
      ended: call.ended + 0.2,
      result: 0,
    };
    return [call, sync];
  });
}

function resultOf(rest: string): number | undefined {
  const result = / = (-?\d+)[^"]*$/.exec(rest)?.[1];
  return result === undefined ? undefined : Number(result);
}

function pathOf(rest: string): string {
  const descriptor = /^\d+<([^>]+)>/.exec(rest)?.[1];
  return descriptor ?? [...rest.matchAll(/"(\/[^"]*)"/g)].at(-1)?.[1] ?? '';
}

export type Fault = {
  /** As strace names it, such as `fsync` or `pwrite64,pwritev`. */
  call: string;
  error: string;
  /** Which call of each thread fails: `3`, or `1+` for all from the first on. */
  when: string;
  /** Only calls on this file. */
  path?: string;
};

/** Lets calls of a running process fail, until it is stopped. */
export class FaultInjector {
  readonly #tracer: ChildProcessByStdio<null, null, Readable>;
  readonly #logFile: string;

  static async attach(pid: number, fault: Fault, logFile: string): Promise<FaultInjector> {
    const injector = new FaultInjector(pid, fault, logFile);
    const [said] = (await once(injector.#tracer.stderr, 'data')) as [Buffer];
    if (!said.includes('attached')) throw new Error(`strace: ${said.toString()}`);
    return injector;
  }

  private constructor(pid: number, { call, error, when, path }: Fault, logFile: string) {
    this.#logFile = logFile;
    const only = path ? ['-P', path] : [];
    const what = ['-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${when}`];
    this.#tracer = spawn('strace', ['-f', '-o', logFile, ...only, ...what, '-p', String(pid)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  timesFired(): number {
    return readFileSync(this.#logFile, 'utf8').split('(INJECTED)').length - 1;
  }

  async detach(): Promise<void> {
    const exited = once(this.#tracer, 'exit');
    this.#tracer.kill('SIGINT');
    await exited;
  }
}
