// What an import has already stored, one line per file, so that the next run goes on where this one stopped. A line torn
// by a crash is skipped: its upload is then found by its idempotency key.
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const linesPerSync = 64;

/** A file as it was when it was stored; one changed since is another file. */
export type FileMark = { path: string; size: number; mtime_ms: number };

export function journalFile(dataDir: string, accountId: string, root: string): string {
  const name = createHash('sha256').update(`${accountId}\0${root}`).digest('hex').slice(0, 32);
  return join(dataDir, 'imports', `${name}.jsonl`);
}

export class ImportJournal {
  readonly #handle: FileHandle;
  readonly #known: Map<string, string>;
  #unsyncedLines = 0;

  private constructor(handle: FileHandle, known: Map<string, string>) {
    this.#handle = handle;
    this.#known = known;
  }

  static async open(file: string): Promise<ImportJournal> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, 'a', 0o600);
    const text = await readFile(file, 'utf8');
    if (text !== '' && !text.endsWith('\n')) await handle.write('\n');
    return new ImportJournal(handle, new Map(text.split('\n').flatMap(markOfLine)));
  }

  has(mark: FileMark): boolean {
    return this.#known.get(mark.path) === stateOf(mark);
  }

  async add(mark: FileMark, objectId: string): Promise<void> {
    this.#known.set(mark.path, stateOf(mark));
    await this.#handle.write(`${JSON.stringify({ ...mark, object_id: objectId })}\n`);
    this.#unsyncedLines += 1;
    if (this.#unsyncedLines < linesPerSync) return;
    this.#unsyncedLines = 0;
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#handle.datasync();
    await this.#handle.close();
  }
}

function stateOf({ size, mtime_ms: modifiedMs }: FileMark): string {
  return `${size} ${modifiedMs}`;
}

function markOfLine(line: string): [string, string][] {
  try {
    const mark = JSON.parse(line) as FileMark;
    return [[mark.path, stateOf(mark)]];
  } catch {
    return [];
  }
}
