// Fills an empty database from the rows of a backup, whichever kind of database they came from.
import type { Database } from '../../platform/database/database.ts';
import { OperatorError } from '../../platform/errors.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { inBatches } from '../at-once.ts';
import { claimForCopy, type CopyState, writeCopyState } from '../moving/copy-state.ts';
import { type FoundBy, keepPictures, type PictureTarget } from '../rows/pictures.ts';
import { rowsPerStatement } from '../rows/row-pages.ts';
import { describeTables, type TableShape } from '../rows/table-shape.ts';
import { upsertRows } from '../rows/write-rows.ts';
import type { BackedUpTable, BackupFile } from './backup-format.ts';
import { readRowFile } from './row-file.ts';

const vectorsAtOnce = 200;

export type LoadParts = {
  readonly storage: Storage;
  readonly backup: BackupFile;
  readonly target: Database;
  readonly pictures: PictureTarget;
  readonly makeTables: (target: Database) => Promise<void>;
  /** What else must be done before anyone may serve from it. */
  readonly settle: (target: Database) => Promise<void>;
  readonly onRows: (count: number) => void;
};

/** Every row is there, and was compared, when this resolves; until then nobody can serve from it. */
export async function loadDatabase(parts: LoadParts): Promise<void> {
  const { storage, backup, target } = parts;
  const state = await claimForRestore(target, backup);
  // Somebody may have gone on with it since.
  if (state.complete) return;
  await parts.makeTables(target);
  const shapes = await describeTables(target.read);
  for (const table of inOrder(backup.tables, shapes)) {
    const shape = shapes.find(({ name }) => name === table.name) as TableShape;
    const known = { ...shape, columns: shape.columns.filter((column) => table.columns.includes(column)) };
    for await (const rows of inBatches(readRowFile(storage, table), rowsPerStatement(known))) {
      await target.write((tx) => upsertRows(tx, known, rows));
      parts.onRows(rows.length);
      failpoint('restore:page');
    }
  }
  await loadVectors(parts);
  await parts.settle(target);
  await target.write((tx) => writeCopyState(tx, { ...state, complete: true }));
}

/** From here on nobody but the restore of this backup uses the target. Throws when it holds something else. */
export function claimForRestore(target: Database, { id: from }: BackupFile): Promise<CopyState> {
  return claimForCopy(target, { from, by: 'tintype restore <the backup>' });
}

/** As this version's tables refer to each other. */
function inOrder(tables: readonly BackedUpTable[], shapes: readonly TableShape[]): BackedUpTable[] {
  for (const { name, columns } of tables) {
    const shape = shapes.find((one) => one.name === name);
    const unknown = shape ? columns.find((column) => !shape.columns.includes(column)) : name;
    if (unknown !== undefined)
      throw new OperatorError(
        `The backup has "${unknown}", which this version does not know. Restore it with the version that made it, or a newer one`,
      );
  }
  return shapes.flatMap(({ name }) => tables.filter((table) => table.name === name));
}

async function loadVectors({ storage, backup, target, pictures, onRows }: LoadParts): Promise<void> {
  for await (const rows of inBatches(readRowFile(storage, backup.vectors), vectorsAtOnce)) {
    const vectors = rows.map(({ generation, model, vector }): FoundBy => {
      const bytes = vector as Uint8Array;
      const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
      return {
        generation: generation as string,
        space: { model: model as string, dimensions: values.length },
        vector: values,
      };
    });
    const generations = vectors.map(({ generation }) => generation);
    await keepPictures({ target, index: pictures }, generations, vectors);
    onRows(rows.length);
  }
}
