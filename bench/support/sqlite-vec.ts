// Finds sqlite-vec, which is no dependency: in the folder that SQLITE_VEC_DIR names.
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const howToInstallSqliteVec =
  'not measured: npm install sqlite-vec@0.1.9 somewhere, and name that folder in SQLITE_VEC_DIR';

/** The file that SQLite loads. */
export function findSqliteVec(): string | null {
  const folder = process.env.SQLITE_VEC_DIR;
  if (folder === undefined) return null;
  const near = createRequire(join(folder, 'package.json'));
  return (near('sqlite-vec') as { getLoadablePath(): string }).getLoadablePath();
}
