// All that a server has written: every file of its data folder, and what its stores and its database hold elsewhere.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/database.ts';
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
  if (app.core.database.engine === 'postgres')
    files.push({ name: 'tintype.db', text: await everyRow(app.core.database) });
  if (!storesInS3) return files;
  for (const storage of Object.values(app.core.stores)) {
    for await (const { key } of storage.list('')) {
      const bytes = await buffer((await storage.get(key)) ?? Readable.from([]));
      files.push({ name: basename(key), text: bytes.toString('latin1') });
    }
  }
  return files;
}

async function everyRow({ read }: Database): Promise<string> {
  const tables = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = current_schema()`.execute(read);
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} as t`.execute(
      read,
    );
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}
