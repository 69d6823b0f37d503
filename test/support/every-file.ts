// All that a server has written: every file of its data folder, and what its stores hold elsewhere.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { TestServer } from './server.ts';
import { storesInS3 } from './test-stores.ts';

export type WrittenFile = { readonly name: string; readonly text: string };

export async function everyFile({ app, dataDir }: TestServer): Promise<WrittenFile[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => ({
        name,
        text: await readFile(join(parentPath, name), 'latin1'),
      })),
  );
  if (!storesInS3) return files;
  for (const storage of Object.values(app.core.stores)) {
    for await (const { key } of storage.list('')) {
      const bytes = await buffer((await storage.get(key)) ?? Readable.from([]));
      files.push({ name: basename(key), text: bytes.toString('latin1') });
    }
  }
  return files;
}
