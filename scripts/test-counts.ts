// How many tests passed, failed and were skipped, for each test file.
export type Counts = { passed: number; failed: number; skipped: number };

export const noCounts = (): Counts => ({ passed: 0, failed: 0, skipped: 0 });

export class CountsOfFiles {
  readonly #counts = new Map<string, Counts>();

  of(file: string): Counts {
    const known = this.#counts.get(file) ?? noCounts();
    this.#counts.set(file, known);
    return known;
  }

  forget(files: readonly string[]): void {
    for (const file of files) this.#counts.delete(file);
  }

  addTo(totals: Counts): void {
    for (const counts of this.#counts.values())
      for (const kind of ['passed', 'failed', 'skipped'] as const) totals[kind] += counts[kind];
  }
}
