// Proportions as an address writes them: each has one canonical spelling.

/** 32:18 is 16:9; where whole numbers would grow too long, the shorter side is 1. */
export function reducedRatio(a: number, b: number): [number, number] {
  const shorter = Math.min(a, b);
  const rounded: [number, number] = [roundTo4(a / shorter), roundTo4(b / shorter)];
  return wholeRatio(a, b) ?? wholeRatio(...rounded) ?? rounded;
}

function wholeRatio(a: number, b: number): [number, number] | null {
  const [wholeA, wholeB] = [Math.round(a * 10_000), Math.round(b * 10_000)];
  const divisor = greatestCommonDivisor(wholeA, wholeB);
  return Math.max(wholeA, wholeB) / divisor <= 100 ? [wholeA / divisor, wholeB / divisor] : null;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function roundTo4(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
