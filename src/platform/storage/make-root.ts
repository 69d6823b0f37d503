// Makes the folder a file backend lives in, and the one its writes begin in.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.ts';

export function makeRoot(root: string): void {
  makeFolder(root);
  mkdirSync(join(root, '.staging'), { recursive: true, mode: 0o700 });
}
