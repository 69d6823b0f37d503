// Puts the system calls of a trace through the double. A change shows from the moment it begins; a sync counts when it ends.
import type { Call } from '../strace.ts';
import type { FileSystemDouble } from './file-system-double.ts';

/** For strace: strings whole, with all that is not plain text as hex. */
export const traceOptions = [
  '-f',
  '--seccomp-bpf',
  '-y',
  '-x',
  '-s',
  '4000000',
  '-e',
  'trace=fsync,fdatasync,write,writev,truncate,ftruncate,/^(open|pwrite|rename|unlink|rmdir|mkdir|link)',
];

export function replayTrace(calls: readonly Call[], double: FileSystemDouble, root: string): void {
  const moments = calls
    .filter(({ path, result }) => isBelow(path, root) && (result === undefined || result >= 0))
    .map((call) => ({ call, at: isSync(call) ? call.ended : call.begun }))
    .toSorted((left, right) => left.at - right.at);
  for (const { call } of moments) replay(call, double);
}

const isSync = ({ name }: Call): boolean => /^f(data)?sync$/.test(name);
const isBelow = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

function replay(call: Call, double: FileSystemDouble): void {
  const { name, path, text, begun, result } = call;
  // What never ended may have happened or not, and no sync can have covered it.
  const ended = result === undefined ? Number.POSITIVE_INFINITY : call.ended;
  if (isSync(call)) {
    if (result === 0) double.sync(path, begun);
  } else if (name === 'open') {
    if (text.includes('O_CREAT')) double.create(path, ended);
    const file = double.file(path);
    if (file && text.includes('O_TRUNC')) double.truncate(file, { size: 0, ended });
  } else if (name === 'mkdir') double.makeFolder(path, ended);
  else if (name === 'rename') double.rename(firstPath(text), path, ended);
  else if (name === 'link') double.link(firstPath(text), path, ended);
  else if (name === 'unlink' || name === 'rmdir') double.remove(path, ended);
  else replayOnFile(call, ended, double);
}

function replayOnFile({ name, path, text, result }: Call, ended: number, double: FileSystemDouble): void {
  const file = double.file(path);
  // A removed file that is still open: nothing of it can come back.
  if (!file) return;
  const lastNumber = Number(/(\d+)(?:\)? *(?:= .*|<unfinished.*))$/.exec(text)?.[1]);
  if (name.endsWith('truncate')) return double.truncate(file, { size: lastNumber, ended });
  const all = Buffer.concat(stringsOf(text));
  const data = result === undefined ? all : all.subarray(0, result);
  // Without a position it is appended: nobody here writes into the middle of a file by seeking.
  const offset = name.startsWith('p') ? lastNumber : file.size;
  // The tracer is killed too, perhaps in the middle of a line.
  if (Number.isNaN(offset)) return;
  double.write(file, { offset, data, ended });
}

function firstPath(text: string): string {
  return /"(\/[^"]*)"/.exec(text)?.[1] ?? '';
}

const escapes: Record<string, number> = { n: 10, r: 13, t: 9, v: 11, f: 12, '"': 34, '\\': 92 };

/** The strings among the arguments, as bytes. */
function stringsOf(text: string): Buffer[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => unescaped(quoted));
}

function unescaped(quoted: string): Buffer {
  if (/^(?:\\x[0-9a-f]{2})*$/.test(quoted)) return Buffer.from(quoted.replaceAll('\\x', ''), 'hex');
  const bytes: number[] = [];
  for (let at = 0; at < quoted.length; at += 1) {
    if (quoted[at] !== '\\') bytes.push(quoted.charCodeAt(at));
    else {
      at += 1;
      const [digits] = /^[0-7]{1,3}/.exec(quoted.slice(at, at + 3)) ?? [];
      bytes.push(digits ? Number.parseInt(digits, 8) : (escapes[quoted.charAt(at)] ?? Number.NaN));
      at += digits ? digits.length - 1 : 0;
    }
  }
  if (bytes.some(Number.isNaN)) throw new Error(`An escape is not known: ${quoted.slice(0, 100)}`);
  return Buffer.from(bytes);
}
