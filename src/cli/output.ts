// What commands print: records and tables for people, JSON for programs. Results go to standard output, all else to
// standard error.

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

export function printRecord(record: Readonly<Record<string, unknown>>): void {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  for (const [name, value] of Object.entries(record)) console.log(`${name.padEnd(width)}  ${shown(value)}`);
}

export function printTable(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): void {
  const lines = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? '').length)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}
