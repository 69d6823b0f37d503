// Word that rows were added to a table, soon after their commit, for whoever works through it: at once in this process,
// and by a notification to the others. Many commits share one notification, sent outside of them: PostgreSQL lets only one
// transaction that notifies commit at a time, and uploads must not queue up there. Some word may be lost; who waits for it
// looks now and then anyway.
const gatherMs = 30;

export class NewRows {
  readonly #listeners = new Map<string, (() => void)[]>();
  readonly #tell: (tables: readonly string[]) => Promise<void>;
  #untold = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(tell: (tables: readonly string[]) => Promise<void>) {
    this.#tell = tell;
  }

  listen(table: string, hear: () => void): void {
    this.#listeners.set(table, [...(this.#listeners.get(table) ?? []), hear]);
  }

  /** Looks what a statement adds rows to. */
  note(text: string, tables: Set<string>): void {
    const table = /^\s*insert into "?(\w+)"?/i.exec(text)?.[1];
    if (table) tables.add(table);
  }

  committed(tables: ReadonlySet<string>): void {
    if (tables.size === 0) return;
    for (const table of tables) {
      this.heard(table);
      this.#untold.add(table);
    }
    if (this.#timer === null) this.#timer = setTimeout(() => this.#send(), gatherMs).unref();
  }

  heard(table: string): void {
    for (const hear of this.#listeners.get(table) ?? []) queueMicrotask(hear);
  }

  #send(): void {
    this.#timer = null;
    const tables = [...this.#untold];
    this.#untold = new Set();
    void this.#tell(tables).catch(() => undefined);
  }
}
