// What an import has stored already, and what it left unfinished: one line each, so that the next run goes on where this
// one stopped. A line torn by a crash is skipped: its upload is then found by its idempotency key.
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorError } from '../platform/errors.ts';

const linesPerSync = 64;

/** Something of the source as it was when it was stored; what has changed since is something else. */
export type ItemMark = { readonly path: string; readonly state: string };
type Line = ItemMark & ({ readonly object_id: string } | { readonly unfinished: string });

export function journalFile(folder: string, accountId: string, sourceName: string): string {
  const name = createHash('sha256').update(`${accountId}\0${sourceName}`).digest('hex').slice(0, 32);
  return join(folder, `${name}.jsonl`);
}

export class ImportJournal {
  readonly #handle: FileHandle;
  /** The last word on each path. */
  readonly #lines: Map<string, Line>;
  #unsyncedLines = 0;

  private constructor(handle: FileHandle, lines: Map<string, Line>) {
    this.#handle = handle;
    this.#lines = lines;
  }

  static async open(file: string): Promise<ImportJournal> {
    const handle = await openForNotes(file).catch((error: Error) => {
      throw new OperatorError(`What is imported cannot be noted in ${file}: ${error.message}`);
    });
    const text = await readFile(file, 'utf8');
    if (text !== '' && !text.endsWith('\n')) await handle.write('\n');
    return new ImportJournal(handle, new Map(text.split('\n').flatMap(readLine)));
  }

  has(mark: ItemMark): boolean {
    const line = this.#lineOf(mark);
    return line !== undefined && 'object_id' in line;
  }

  async add(mark: ItemMark, objectId: string): Promise<void> {
    await this.#write({ ...mark, object_id: objectId });
  }

  /** How to go on with an upload that was begun and not finished. */
  unfinished(mark: ItemMark): string | undefined {
    const line = this.#lineOf(mark);
    return line && 'unfinished' in line ? line.unfinished : undefined;
  }

  async begin(mark: ItemMark, unfinished: string): Promise<void> {
    await this.#write({ ...mark, unfinished });
  }

  async close(): Promise<void> {
    await this.#handle.datasync();
    await this.#handle.close();
  }

  #lineOf({ path, state }: ItemMark): Line | undefined {
    const line = this.#lines.get(path);
    return line?.state === state ? line : undefined;
  }

  async #write(line: Line): Promise<void> {
    this.#lines.set(line.path, line);
    await this.#handle.write(`${JSON.stringify(line)}\n`);
    this.#unsyncedLines += 1;
    if (this.#unsyncedLines < linesPerSync) return;
    this.#unsyncedLines = 0;
    await this.#handle.datasync();
  }
}

async function openForNotes(file: string): Promise<FileHandle> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return open(file, 'a', 0o600);
}

function readLine(text: string): [string, Line][] {
  try {
    const line = JSON.parse(text) as Line;
    return [[line.path, line]];
  } catch {
    return [];
  }
}
