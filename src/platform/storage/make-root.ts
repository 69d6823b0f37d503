// Makes the folder a file backend lives in, durably: files synced below a folder whose own name is lost are lost too.

import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function makeRoot(root: string): void {
  const firstMade = mkdirSync(root, { recursive: true, mode: 0o700 });
  if (firstMade !== undefined) {
    for (let made = root; made !== dirname(firstMade); made = dirname(made)) syncFolderNow(dirname(made));
  }
  mkdirSync(join(root, '.staging'), { recursive: true, mode: 0o700 });
}

function syncFolderNow(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
