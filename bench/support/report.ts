// One line per figure: what was measured, how it came out, what it must keep to, and whether it does.

export type Figure = {
  what: string;
  value: string;
  bar?: string;
  passed?: boolean;
  /** Where it is a ratio to somebody else's: what the chart shows of it. */
  charted?: { label: string; ratio: number; bar: number };
};
export type Scenario = (options: { profile: boolean }) => Promise<Figure[]>;
/** For ratios that the chart shows. */
export type ChartOptions = { label: string };

export function atMost(what: string, value: number, bar: number, unit: string, digits = 0): Figure {
  return {
    what,
    value: `${value.toFixed(digits)}${unit}`,
    bar: `≤ ${bar}${unit}`,
    passed: value <= bar,
  };
}

export function atLeast(
  what: string,
  value: number,
  bar: number,
  unit: string,
  digits = 0,
  chart?: ChartOptions,
): Figure {
  return {
    what,
    value: `${value.toFixed(digits)}${unit}`,
    bar: `≥ ${bar}${unit}`,
    passed: value >= bar,
    ...(chart ? { charted: { label: chart.label, ratio: value, bar } } : {}),
  };
}

export function exactly(what: string, value: number, bar: number): Figure {
  return { what, value: String(value), bar: `= ${bar}`, passed: value === bar };
}

export function table(rows: readonly (Figure & { scenario: string })[]): string {
  const cells = rows.map(({ scenario, what, value, bar = '', passed }) => [
    scenario,
    what,
    value,
    bar,
    passed === undefined ? '' : passed ? 'pass' : 'FAIL',
  ]);
  const all = [['scenario', 'figure', 'measured', 'bar', ''], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('──') + '──────');
  return lines.join('\n');
}
