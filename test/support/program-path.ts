// Programs of this machine that tests use where they are installed.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** All of that name on the PATH, in its order. */
export function programsNamed(name: string): string[] {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.map((folder) => join(folder, name)).filter(isExecutable);
}

/** Null when none is installed: whoever needs it says loudly that nothing was tried. */
export function programPath(name: string): string | null {
  return programsNamed(name)[0] ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
