// Compares two databases row by row through checksums, so that neither has to be held in memory, nor sorted alike.
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/database.ts';
import { type FoundBy, vectorPages, type VectorSource, vectorsOf } from '../rows/pictures.ts';
import { pagesOf } from '../rows/row-pages.ts';
import { printRow, RowChecksum } from '../rows/row-text.ts';
import type { TableShape } from '../rows/table-shape.ts';

/** An engine may keep vectors with less precision. */
const leastCosine = 0.999;

export type TableComparison = {
  readonly table: string;
  readonly rows: number;
  readonly rowsInTarget: number;
  readonly isEqual: boolean;
};

type Side = { read: Kysely<Tables>; pictures: VectorSource };

export async function verifyCopy(
  source: Side,
  target: Side,
  tables: readonly TableShape[],
): Promise<TableComparison[]> {
  const compared: TableComparison[] = [];
  for (const table of tables) {
    const [ours, theirs] = await Promise.all([
      checksumOf(source.read, table),
      checksumOf(target.read, table),
    ]);
    const isEqual = ours.count === theirs.count && ours.toString() === theirs.toString();
    compared.push({ table: table.name, rows: ours.count, rowsInTarget: theirs.count, isEqual });
  }
  compared.push(await compareVectors(source, target));
  return compared;
}

async function checksumOf(read: Kysely<Tables>, table: TableShape): Promise<RowChecksum> {
  const checksum = new RowChecksum();
  for await (const page of pagesOf(read, table)) for (const row of page) checksum.add(printRow(row));
  return checksum;
}

/** Objects are equal by now, so whoever has a vector here must have it there. */
async function compareVectors(source: Side, target: Side): Promise<TableComparison> {
  let [rows, rowsInTarget] = [0, 0];
  let isEqual = true;
  for await (const { vectors } of vectorPages(source.read, source.pictures)) {
    const generations = vectors.map(({ generation }) => generation);
    const found = await vectorsOf(target.pictures, generations);
    const there = new Map(found.map((vector) => [vector.generation, vector]));
    rows += vectors.length;
    rowsInTarget += found.length;
    isEqual &&= vectors.every((vector) => isSame(vector, there.get(vector.generation)));
  }
  return { table: 'vectors', rows, rowsInTarget, isEqual };
}

function isSame(ours: FoundBy, theirs: FoundBy | undefined): boolean {
  if (!theirs || theirs.space.model !== ours.space.model) return false;
  if (theirs.vector.length !== ours.vector.length) return false;
  return (
    ours.vector.reduce((sum, value, at) => sum + value * (theirs.vector[at] as number), 0) >= leastCosine
  );
}
