// The few statistics the tables show.

export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new Error('There is nothing to take a percentile of');
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] as number;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
