// Writes all rows as they were at one moment into a backup.
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/database.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { vectorPages, type VectorSource } from '../rows/pictures.ts';
import { pagesOf } from '../rows/row-pages.ts';
import { describeTables, type Row } from '../rows/table-shape.ts';
import { type BackedUpTable, databasePrefix, vectorColumns } from './backup-format.ts';
import { writeRowFile } from './row-file.ts';

export async function dumpDatabase(
  read: Kysely<Tables>,
  pictures: VectorSource,
  { storage, id, onRows }: { storage: Storage; id: string; onRows: (count: number) => void },
): Promise<{ tables: BackedUpTable[]; vectors: BackedUpTable }> {
  const dump = async (
    name: string,
    columns: readonly string[],
    pages: AsyncIterable<Row[]>,
  ): Promise<BackedUpTable> => {
    const key = `${databasePrefix}${id}/${name}.jsonl.gz`;
    const counted = async function* () {
      for await (const page of pages) {
        onRows(page.length);
        yield page;
      }
    };
    return { name, key, columns, ...(await writeRowFile(storage, key, counted())) };
  };
  const tables: BackedUpTable[] = [];
  for (const table of await describeTables(read))
    tables.push(await dump(table.name, table.columns, pagesOf(read, table)));
  return { tables, vectors: await dump('vectors', vectorColumns, vectorRows(read, pictures)) };
}

async function* vectorRows(read: Kysely<Tables>, pictures: VectorSource): AsyncGenerator<Row[]> {
  for await (const { vectors } of vectorPages(read, pictures))
    yield vectors.map(({ generation, space: { model }, vector }) => ({
      generation,
      model,
      vector: new Uint8Array(vector.slice().buffer),
    }));
}
