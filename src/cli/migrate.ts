// `tintype migrate`: moves the database or the files of a running service to where they should be.
import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { databaseFile } from '../core.ts';
import { forgetUnfinishedMoves } from '../keeping/files/moved-stores.ts';
import { forgetUnfinishedMovesOfNodes } from '../keeping/files/moves-of-nodes.ts';
import { endNotes } from '../keeping/moving/noted-changes.ts';
import { openSqliteDatabase } from '../platform/database/sqlite/sqlite-database.ts';
import { jsonOption, readArguments, UsageError, wholeNumber } from './arguments.ts';
import { migrateDatabase } from './migrate-database.ts';
import { migrateStore } from './migrate-store.ts';
import { withDatabase } from './read-database.ts';
import { lockWhenStopped } from './wait-for-stop.ts';

export const help = `Usage:
  tintype migrate --database <address> [--no-wait]
  tintype migrate --files <store> [--mb-per-second N] [--no-wait]
  tintype migrate --storage <store> [--mb-per-second N] [--no-wait]
  tintype migrate --abandon

  --database        an empty PostgreSQL database, postgres://…: all rows of the embedded database are copied there
  --files           an empty store, file:<folder> or s3://…: the files of the default backend are copied there
  --storage         the same for the alternative backend
  --mb-per-second   reads no more than this
  --no-wait         copy what is there now, and leave the last step to the next run
  --abandon         forget moves that were begun and not finished; everything stays as it was
  --json            print the totals as JSON

Copies while the server runs, over and over until little is left, then asks you to stop the server, copies the rest,
compares everything and says what to set. With DATABASE_URL the last step waits until all nodes are stopped. The old database
and the old files stay, but are not used by mistake. Run it again after Ctrl-C or a crash: it goes on where it stopped.`;

export async function migrate(args: string[], config: () => Config): Promise<0 | 1> {
  const text = { type: 'string' } as const;
  const { values } = readArguments(args, {
    database: text,
    files: text,
    storage: text,
    'mb-per-second': text,
    wait: { type: 'boolean', default: true },
    abandon: { type: 'boolean', default: false },
    ...jsonOption,
  });
  const asked = (['database', 'files', 'storage'] as const).filter((name) => values[name] !== undefined);
  const [what] = asked;
  if (asked.length + Number(values.abandon) !== 1)
    throw new UsageError('Say what to move: --database, --files or --storage, one at a time');
  if (values.abandon) return abandon(config());
  const common = {
    address: values[what as (typeof asked)[number]] as string,
    wait: values.wait,
    json: values.json,
  };
  if (what === 'database') return migrateDatabase(config(), common);
  const bytesPerSecond = readPace(values['mb-per-second']);
  return migrateStore(config(), { ...common, backend: what as 'files' | 'storage', bytesPerSecond });
}

export function readPace(text: string | undefined): number | null {
  return text === undefined ? null : wholeNumber(text, 'mb-per-second', 1, 1_000_000) * 1024 * 1024;
}

async function abandon(config: Config): Promise<0> {
  const lock = await lockWhenStopped(config.dataDir, 'tintype migrate', async () => undefined);
  try {
    forgetUnfinishedMoves(config.dataDir);
    if (config.DATABASE_URL) await withDatabase(config, forgetUnfinishedMovesOfNodes);
    // One that is not there must not be made: it would take the place of the one that was moved.
    if (existsSync(databaseFile(config))) {
      const database = openSqliteDatabase(databaseFile(config));
      try {
        await endNotes(database);
      } finally {
        await database.close();
      }
    }
    console.log('Nothing is being moved any more. What was copied may be deleted.');
    return 0;
  } finally {
    lock.release();
  }
}
