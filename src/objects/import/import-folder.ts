// Imports a folder's files, a few at a time, until all are done, somebody asks to stop, or one meets what all would meet.
import { AppError } from '../../platform/errors.ts';
import { type FileOutcome, importFile, type ImportParts, type ImportTarget } from './import-file.ts';
import type { FoundEntry } from './walk.ts';

export type ImportTotals = {
  uploaded: number;
  uploadedBytes: number;
  already: number;
  skipped: { path: string; reason: string }[];
  failed: { path: string; reason: string }[];
  /** Why it ended before all files were done. */
  stopped: string | null;
};
export type ImportOptions = {
  concurrency: number;
  signal: AbortSignal;
  onOutcome(outcome: FileOutcome): void;
};

/** What has begun when it is asked to stop is finished, so that nothing is left half done. */
export async function importFolder(
  parts: ImportParts,
  target: ImportTarget,
  entries: readonly FoundEntry[],
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
  const waiting = entries.values();

  async function work(): Promise<void> {
    for (const { path, isFile } of waiting) {
      if (options.signal.aborted) totals.stopped ??= 'Stopped on request';
      if (totals.stopped !== null) return;
      const outcome: FileOutcome = isFile
        ? await importFile(parts, target, path)
        : { kind: 'skipped', path, reason: 'A link or a special file' };
      count(totals, outcome);
      options.onOutcome(outcome);
    }
  }

  const stopOnFault = (error: unknown): void => {
    if (!(error instanceof AppError)) throw error;
    totals.stopped ??= error.message;
  };
  await Promise.all(Array.from({ length: options.concurrency }, () => work().catch(stopOnFault)));
  return totals;
}

function count(totals: ImportTotals, outcome: FileOutcome): void {
  if ('reason' in outcome) totals[outcome.kind].push({ path: outcome.path, reason: outcome.reason });
  else totals[outcome.kind] += 1;
  if (outcome.kind === 'uploaded') totals.uploadedBytes += outcome.bytes;
}
