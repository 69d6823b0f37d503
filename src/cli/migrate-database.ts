// The part of `tintype migrate` that moves the database, beside a running server until the last moment.
import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { databaseFile, migrationsFor } from '../core.ts';
import { readCopyState } from '../keeping/moving/copy-state.ts';
import { DatabaseMove } from '../keeping/moving/move-database.ts';
import { setAside } from '../keeping/moving/moved-database.ts';
import type { TableComparison } from '../keeping/moving/verify-copy.ts';
import { makeTables, openTargetDatabase, type TargetDatabase } from '../open-target-database.ts';
import { openSqliteDatabase } from '../platform/database/sqlite/sqlite-database.ts';
import { AppError, OperatorError } from '../platform/errors.ts';
import { createSecretBox, loadSecretKey } from '../platform/secrets.ts';
import { openSqlitePictureIndex } from '../search/index/sqlite/sqlite-picture-index.ts';
import { printJson, printTable } from './output.ts';
import { startProgress } from './progress.ts';
import { lockCommand, lockWhenStopped } from './wait-for-stop.ts';

/** So few that nobody waits for them. */
const fewChanges = 200;

export type MoveOptions = { address: string; wait: boolean; json: boolean };

export async function migrateDatabase(config: Config, options: MoveOptions): Promise<0 | 1> {
  const file = databaseFile(config);
  const only = lockCommand(config.dataDir, 'tintype migrate');
  try {
    await using target = await opened(options.address);
    if (!existsSync(file)) return await alreadyMoved(target, file);
    const moved = await move(config, options, target);
    if (moved === null) {
      console.log('Copied. Run the same command again to finish; the server must be stopped for that.');
      return 0;
    }
    return await tell(config, options, moved);
  } finally {
    only.release();
  }
}

async function opened(address: string): Promise<TargetDatabase & AsyncDisposable> {
  const target = await openTargetDatabase(address);
  return { ...target, [Symbol.asyncDispose]: () => target.close() };
}

async function alreadyMoved({ database }: TargetDatabase, file: string): Promise<0> {
  if (!(await readCopyState(database.read))?.complete)
    throw new OperatorError(`There is no database ${file} to move`);
  console.log('It is moved already. Set DATABASE_URL and start the server.');
  return 0;
}

type Moved = { compared: TableComparison[]; isWhole: boolean; release(): void };

/** Null when it is not to wait for the server's end. */
async function move(config: Config, options: MoveOptions, target: TargetDatabase): Promise<Moved | null> {
  const file = databaseFile(config);
  const database = openSqliteDatabase(file);
  const pictures = openSqlitePictureIndex({ file });
  const progress = startProgress('Copying rows:', null);
  const secretKey = await loadSecretKey({ configured: config.SECRET_KEY, dataDir: config.dataDir });
  try {
    await database.migrate(migrationsFor(database));
    const work = await DatabaseMove.begin({
      source: { database, file, pictures },
      target,
      makeTables: (made) => makeTables(made, createSecretBox(secretKey)),
      by: 'tintype migrate --database <its address>',
      onRows: (count) => progress.advance(count),
    });
    if (!work.isComplete) {
      await work.copyAll();
      while ((await work.catchUp()) > fewChanges);
    }
    progress.stop();
    if (!options.wait) return null;
    const lock = await lockWhenStopped(config.dataDir, 'tintype migrate', () => work.catchUp());
    try {
      const compared = work.isComplete ? [] : await work.finish();
      return { compared, isWhole: work.isComplete, release: () => lock.release() };
    } catch (error) {
      lock.release();
      throw error;
    }
  } finally {
    progress.stop();
    await pictures.close();
    await database.close();
  }
}

async function tell(config: Config, options: MoveOptions, moved: Moved): Promise<0 | 1> {
  const { compared, isWhole } = moved;
  try {
    if (!isWhole) {
      printTable(['table', 'rows', 'rowsInTarget', 'isEqual'], compared);
      throw new AppError(
        'conflict',
        'The copy is not equal to the database, which stays as it is. Start again with an empty target, and report this.',
      );
    }
    const oldDatabase = await setAside(databaseFile(config));
    if (options.json) {
      printJson({ tables: compared, old_database: oldDatabase });
      return 0;
    }
    printTable(['table', 'rows', 'rowsInTarget', 'isEqual'], compared);
    console.log(`
Moved, and compared row by row. The old database is kept as ${oldDatabase}
Now set, and start the server:
  DATABASE_URL=${options.address.startsWith('sqlite:') ? options.address : 'the address you gave'}
  SECRET_KEY=${config.SECRET_KEY ? 'as it is' : `what ${config.dataDir}/secret.key holds`}`);
    return 0;
  } finally {
    moved.release();
  }
}
