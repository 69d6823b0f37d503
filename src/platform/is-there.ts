// Whether a path is a file now.
import { stat } from 'node:fs/promises';

export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}
