// Whatever a scenario starts or writes goes with the bench process, however that ends: children are killed and
// temporary folders removed on the way out.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const children = new Set<ChildProcess>();
const folders = new Set<string>();

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) removeFolder(folder);
});
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

export function watchChild<T extends ChildProcess>(child: T): T {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

export type TemporaryFolder = { path: string } & Disposable;

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'tintype-bench-'));
  folders.add(path);
  return {
    path,
    [Symbol.dispose]() {
      removeFolder(path);
      folders.delete(path);
    },
  };
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}
