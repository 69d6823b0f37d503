// What a service that runs elsewhere has on disk and in its rows, looked at from outside.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Names of the originals in both stores. */
export async function originalsOnDisk(dataDir: string): Promise<string[]> {
  const names = await Promise.all(['files', 'storage'].map((store) => filesBelow(join(dataDir, store))));
  return names
    .flat()
    .filter((name) => /^[0-9a-f]{24}$/.test(name))
    .sort();
}

export async function filesInStaging(dataDir: string): Promise<string[]> {
  const names = await Promise.all(
    ['files', 'storage'].map((store) => filesBelow(join(dataDir, store, '.staging'))),
  );
  return names.flat();
}

export function generationsInRows(dataDir: string): string[] {
  const database = new Database(join(dataDir, 'tintype.db'), { readonly: true });
  try {
    return database.prepare('select generation from objects order by generation').pluck().all() as string[];
  } finally {
    database.close();
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}
