// How the disk under the temporary folder behaves: every durable figure depends on it, so it is printed with them.
import { closeSync, fsyncSync, openSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './cleanup.ts';
import { median } from './statistics.ts';

const kinds: Record<number, string> = {
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x01021994: 'tmpfs',
  0x794c7630: 'overlayfs',
};

export function describeDisk(): string {
  using folder = temporaryFolder();
  const kind = kinds[statfsSync(folder.path).type] ?? 'an unknown file system';
  return `${kind}, fsync of a new 100 KB file ${fsyncMs(folder.path).toFixed(2)} ms (median)`;
}

function fsyncMs(folder: string): number {
  const bytes = Buffer.alloc(100 * 1024, 1);
  return median(
    Array.from({ length: 50 }, (_, i) => {
      const file = openSync(join(folder, String(i)), 'wx');
      writeSync(file, bytes);
      const startedAt = performance.now();
      fsyncSync(file);
      const took = performance.now() - startedAt;
      closeSync(file);
      return took;
    }),
  );
}
