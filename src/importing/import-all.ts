// Imports all that a source has, a few at a time, until it is done, somebody asks to stop, or one meets what all would meet.
import { ImportStopped } from './import-fault.ts';
import { importItem, type ImportParts, type ItemOutcome } from './import-item.ts';
import type { ImportItem } from './import-source.ts';

export type ImportTotals = {
  uploaded: number;
  uploadedBytes: number;
  already: number;
  skipped: { path: string; reason: string }[];
  failed: { path: string; reason: string }[];
  /** Why it ended before all was done. */
  stopped: string | null;
};
export type ImportOptions = {
  concurrency: number;
  onOutcome(outcome: ItemOutcome): void;
};

/** What has begun when it is asked to stop is finished, so that nothing is left half done. */
export async function importAll(
  parts: ImportParts,
  items: readonly ImportItem[],
  options: ImportOptions,
): Promise<ImportTotals> {
  const totals: ImportTotals = {
    uploaded: 0,
    uploadedBytes: 0,
    already: 0,
    skipped: [],
    failed: [],
    stopped: null,
  };
  const waiting = items.values();

  async function work(): Promise<void> {
    for (const item of waiting) {
      if (parts.signal.aborted) totals.stopped ??= 'Stopped on request';
      if (totals.stopped !== null) return;
      const outcome = await importItem(parts, item);
      count(totals, outcome);
      options.onOutcome(outcome);
    }
  }

  const stop = (error: unknown): void => {
    if (!(error instanceof ImportStopped)) throw error;
    totals.stopped ??= error.message;
  };
  await Promise.all(Array.from({ length: options.concurrency }, () => work().catch(stop)));
  return totals;
}

function count(totals: ImportTotals, outcome: ItemOutcome): void {
  if ('reason' in outcome) totals[outcome.kind].push({ path: outcome.path, reason: outcome.reason });
  else totals[outcome.kind] += 1;
  if (outcome.kind === 'uploaded') totals.uploadedBytes += outcome.bytes;
}
