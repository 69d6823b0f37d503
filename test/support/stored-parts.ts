// The names of files in the stores of a test server, and of a service's data folder, that begin in a certain way.
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { TestServer } from './server.ts';

export async function storedFiles(server: Pick<TestServer, 'app'>, prefix: string): Promise<string[]> {
  return (await filesWithSizes(server, prefix)).map(({ name }) => name);
}

/** Of all parts of resumable uploads that are stored. */
export async function storedPartBytes(server: Pick<TestServer, 'app'>): Promise<number> {
  return (await filesWithSizes(server, 'part-')).reduce((total, { size }) => total + size, 0);
}

async function filesWithSizes({ app }: Pick<TestServer, 'app'>, prefix: string) {
  const files: { name: string; size: number }[] = [];
  for (const storage of Object.values(app.core.stores))
    for await (const { key, size } of storage.list('')) files.push({ name: basename(key), size });
  return files.filter(({ name }) => name.startsWith(prefix));
}

/** Of resumable uploads; also those whose bytes still come, which on S3 wait aside. */
export async function begunParts(server: Pick<TestServer, 'app' | 'dataDir'>): Promise<number> {
  const aside = await readdir(join(server.dataDir, 'copies', '.staging')).catch(() => []);
  return (await storedFiles(server, 'part-')).length + aside.length;
}

export async function filesInFolder(dataDir: string, prefix: string): Promise<string[]> {
  const names = await Promise.all(
    ['files', 'storage'].map(async (store) => {
      const entries = await readdir(join(dataDir, store), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    }),
  );
  return names.flat().filter((name) => name.startsWith(prefix));
}
