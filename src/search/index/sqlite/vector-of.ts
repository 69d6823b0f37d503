// The vector of one picture, as it was kept.
import type Sqlite from 'better-sqlite3';
import type { Space } from '../../providers/ai-provider.ts';

export function openVectorOf(
  sqlite: Sqlite.Database,
): (generation: string) => { space: Space; vector: Float32Array } | null {
  const select = sqlite.prepare('select model, dimensions, vector from vectors where generation = ?').raw();
  return (generation) => {
    const row = select.get(generation) as [string, number, Uint8Array] | undefined;
    if (!row) return null;
    const [model, dimensions, bytes] = row;
    const vector = new Float32Array(dimensions);
    new Uint8Array(vector.buffer).set(bytes);
    return { space: { model, dimensions }, vector };
  };
}
