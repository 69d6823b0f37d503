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
