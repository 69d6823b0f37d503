// `tintype rebuild`: makes a lost database anew from the manifests in both stores; the old one is kept aside.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Config } from '../config.ts';
import { type Core, databaseFile, openCore } from '../core.ts';
import {
  claimForCopy,
  type CopyState,
  forgetCopyState,
  writeCopyState,
} from '../keeping/moving/copy-state.ts';
import { refuseMovedFile } from '../keeping/moving/moved-database.ts';
import { describeTables } from '../keeping/rows/table-shape.ts';
import { areEqual, compareDatabases, type TableDifferences } from '../objects/rebuild/compare.ts';
import { rebuildFromManifests } from '../objects/rebuild/rebuild-from-manifests.ts';
import type { RebuildReport } from '../objects/rebuild/report.ts';
import type { Tables, Tx } from '../platform/database/database.ts';
import { lockDataDir } from '../platform/database/data-dir-lock.ts';
import {
  faultsOfSqliteFile,
  openSqliteReader,
  removeSqliteFile,
  replaceSqliteFile,
  sealSqliteFile,
} from '../platform/database/sqlite/file.ts';
import { AppError } from '../platform/errors.ts';
import { openTargetDatabase } from '../open-target-database.ts';
import { resumeFilms } from '../videos/resume-films.ts';
import { jsonOption, readArguments } from './arguments.ts';
import { printJson } from './output.ts';
import { startProgress } from './progress.ts';
import { readDatabase } from './read-database.ts';
import { printDifferences, printReport } from './rebuild-summary.ts';

export const help = `Usage:
  tintype rebuild [--force]
  tintype rebuild --check

  --check   change nothing: say what would be restored, and how it differs from the database there is
  --force   replace an embedded database that has accounts or cannot be read; the old one is kept beside it
  --json    print JSON

With DATABASE_URL the database must be empty. Restores accounts, keys, webhooks, objects, tags and folders from the small files that lie beside the originals. Stop the server
first (--check may run beside it; then the changes of the last seconds may show as differences). Lost are only: times of
last use, answers kept for repeated uploads, which variants were made with /create, events and deliveries that waited, and other background work
not done yet; films that were not ready are processed again.
--check ends with 1 when something could not be restored or differs.`;

export async function rebuild(args: string[], config: () => Config): Promise<0 | 1> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = readArguments(args, { check: flag, force: flag, ...jsonOption });
  return values.check
    ? check(config(), values.json)
    : replaceDatabase(config(), { force: values.force, json: values.json });
}

async function replaceDatabase(config: Config, options: { force: boolean; json: boolean }): Promise<0> {
  const lock = lockDataDir(config.dataDir, 'tintype rebuild');
  try {
    if (config.DATABASE_URL) return await fillPostgres(config, options.json);
    const file = databaseFile(config);
    if (!options.force) {
      refuseMovedFile(file);
      await refuseToReplace(file);
    }
    const built = `${file}.rebuild`;
    const report = await build(config, built);
    if (report.accounts === 0) {
      await removeSqliteFile(built);
      printReport(report);
      throw new AppError('not_found', nothingFound(config));
    }
    const aside = existsSync(file) ? `${file}.before-${timestamp()}` : null;
    await replaceSqliteFile({ file, by: built, aside: aside ?? `${file}.before-${timestamp()}` });
    if (options.json) printJson({ ...report, old_database: aside });
    else {
      printReport(report);
      if (aside) console.log(`The old database is kept as ${aside}`);
    }
    return 0;
  } finally {
    lock.release();
  }
}

/** A PostgreSQL database is filled where it is, so it must be empty: nothing of another is ever replaced. */
async function fillPostgres(config: Config, json: boolean): Promise<0> {
  const state = await claimEmpty(config.DATABASE_URL as string);
  const core = await openCore(config, { rebuilding: true });
  // One that was broken off begins anew.
  await core.database.write((tx) => removeAllRows(tx));
  const report = await restore(core, (tx, { accounts }) =>
    accounts === 0 ? forgetCopyState(tx) : writeCopyState(tx, { ...state, complete: true }),
  );
  if (json) printJson(report);
  else printReport(report);
  if (report.accounts === 0) throw new AppError('not_found', nothingFound(config));
  return 0;
}

/** Before its tables are made: from here on nobody starts on it. */
async function claimEmpty(address: string): Promise<CopyState> {
  const { database, close } = await openTargetDatabase(address);
  try {
    const state = await claimForCopy(database, { from: 'manifests', by: 'tintype rebuild' });
    if (!state.complete) return state;
    throw new AppError(
      'conflict',
      'The database was rebuilt before, and is in use. Give an empty one; "tintype rebuild --check" compares this one.',
    );
  } finally {
    await close();
  }
}

type Complete = (tx: Tx, report: RebuildReport) => Promise<void>;

async function restore(core: Core, complete?: Complete): Promise<RebuildReport> {
  const progress = startProgress('Restoring objects:', null);
  try {
    const report = await rebuildFromManifests({
      ...core,
      openSecret: (sealed) => core.secretBox.open(sealed),
      onProgress: (manifests) => progress.advance(manifests),
    });
    await resumeFilms(core.database);
    if (complete) await core.database.write((tx) => complete(tx, report));
    return report;
  } finally {
    progress.stop();
    await core.database.close();
  }
}

async function removeAllRows(tx: Tx): Promise<void> {
  const tables = (await describeTables(tx)).map(({ name }) => sql.table(name));
  await sql`truncate ${sql.join(tables)} cascade`.execute(tx);
}

/** The file is whole, checked and self-contained when this resolves. */
async function build(config: Config, file: string): Promise<RebuildReport> {
  await removeSqliteFile(file);
  const report = await restore(await openCore(config, { file }));
  sealSqliteFile(file);
  const faults = faultsOfSqliteFile(file);
  if (faults.length > 0) throw new Error(`The new database ${file} is not sound: ${faults.join('; ')}`);
  return report;
}

async function check(config: Config, json: boolean): Promise<0 | 1> {
  const built = join(config.dataDir, `tintype.db.check-${process.pid}`);
  try {
    const report = await build(config, built);
    const differences = await readDatabase(config, (current) => compare(current, built));
    if (json) printJson({ ...report, differences });
    else {
      printReport(report);
      printDifferences(differences);
    }
    return report.problems.length === 0 && differences !== null && areEqual(differences) ? 0 : 1;
  } finally {
    await removeSqliteFile(built);
  }
}

async function compare(current: Kysely<Tables>, built: string): Promise<TableDifferences[]> {
  using rebuilt = openSqliteReader(built);
  return await compareDatabases(current, rebuilt.read);
}

async function refuseToReplace(file: string): Promise<void> {
  if (!existsSync(file)) return;
  const accounts = await countAccounts(file);
  if (accounts === 0) return;
  const has = accounts === null ? 'cannot be read' : `has ${accounts} account${accounts === 1 ? '' : 's'}`;
  throw new AppError(
    'conflict',
    `The database ${file} ${has}. See first what would change with "tintype rebuild --check"; "tintype rebuild --force" replaces it and keeps it aside.`,
  );
}

async function countAccounts(file: string): Promise<number | null> {
  try {
    using database = openSqliteReader(file);
    const query = database.read.selectFrom('accounts').select((eb) => eb.fn.countAll<number>().as('count'));
    return (await query.executeTakeFirstOrThrow()).count;
  } catch {
    return null;
  }
}

function nothingFound(config: Config): string {
  return `There is no account to restore in ${config.filesStore} or ${config.storageStore}; nothing was changed. Are DATA_DIR, FILES_STORE and STORAGE_STORE those of the lost installation?`;
}

function timestamp(): string {
  return new Date().toISOString().replaceAll(/[:.]/g, '-');
}
