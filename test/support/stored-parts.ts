// The names of files in the stores of a test server that begin in a certain way.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestServer } from './server.ts';

export async function storedFiles(
  { dataDir }: Pick<TestServer, 'dataDir'>,
  prefix: string,
): Promise<string[]> {
  const names = await Promise.all(
    ['files', 'storage'].map(async (store) => {
      const entries = await readdir(join(dataDir, store), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    }),
  );
  return names.flat().filter((name) => name.startsWith(prefix));
}
