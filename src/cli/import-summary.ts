// What an import says at its end: totals, the files it left out with the reason, and what to do when it stopped early.
import type { ImportTotals } from '../importing/import-all.ts';
import { formatBytes } from '../lib/format-bytes.ts';

const maxNamed = 100;

export function printImport(totals: ImportTotals, seconds: number, roomAdvice: string): void {
  name('Skipped', totals.skipped);
  name('Failed', totals.failed);
  const rate = formatBytes(totals.uploadedBytes / Math.max(seconds, 0.001));
  console.log(
    [
      `${totals.uploaded} uploaded (${formatBytes(totals.uploadedBytes)}, ${rate}/s)`,
      `${totals.already} already there`,
      `${totals.skipped.length} skipped`,
      `${totals.failed.length} failed`,
    ].join(', '),
  );
  if (totals.stopped !== null) console.error(`${totals.stopped}. ${advice(totals, roomAdvice)}`);
}

function name(what: string, files: readonly { path: string; reason: string }[]): void {
  for (const { path, reason } of files.slice(0, maxNamed))
    console.log(`${what}: ${printable(path)}: ${reason}`);
  if (files.length > maxNamed) console.log(`${what}: ${files.length - maxNamed} more; --json names them all`);
}

function advice({ stopped }: ImportTotals, roomAdvice: string): string {
  const again = 'run the same command again to go on';
  if (stopped !== 'Storage limit exceeded') return `Nothing is lost: ${again}.`;
  return `The next picture does not fit into the account's limit. ${roomAdvice}; then ${again}.`;
}

/** A file's name must not write to the terminal. */
function printable(path: string): string {
  return path.replace(/\p{Cc}/gu, '?');
}
