// Brings a vector to length one, or says that there is nothing to bring there.

export class UnitVectorError extends Error {}

export function unitVector(vector: Float32Array): number[] {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) {
    throw new UnitVectorError(`a vector of ${vector.length} numbers has the length ${length}`);
  }
  return Array.from(vector, (value) => value / length);
}
