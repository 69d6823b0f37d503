// The doctor's look at the analysis of pictures: whose is held up, and what was given up.
import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { databaseFile } from '../core.ts';
import { openDatabase } from '../open-database.ts';
import type { Database } from '../platform/database/database.ts';
import { openSqliteReader } from '../platform/database/sqlite/file.ts';
import type { Finding } from './doctor-finding.ts';

export async function checkAnalysis(config: Config): Promise<Finding> {
  if (!config.DATABASE_URL) {
    if (!existsSync(databaseFile(config))) return { state: 'ok', message: 'off' };
    using reader = openSqliteReader(databaseFile(config));
    return await lookAt(reader.read);
  }
  const database = await openDatabase(config, databaseFile(config));
  try {
    return await lookAt(database.read);
  } finally {
    await database.close();
  }
}

async function lookAt(read: Database['read']): Promise<Finding> {
  // None in a database that an earlier version made and this one has not opened yet.
  const tables = await read.introspection.getTables();
  if (!tables.some(({ name }) => name === 'analyses')) return { state: 'ok', message: 'off' };
  const accounts = await read
    .selectFrom('accounts')
    .select(['email', 'ai_error'])
    .where('ai_analysis', '=', 1)
    .execute();
  if (accounts.length === 0) return { state: 'ok', message: 'off in every account' };
  const rows = await read
    .selectFrom('analyses')
    .select(['dead', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('dead')
    .execute();
  const [waiting, failed] = [0, 1].map((dead) => rows.find((row) => row.dead === dead)?.count ?? 0);
  const message = `on in ${accounts.length} accounts; ${waiting} pictures waiting, ${failed} given up`;
  const heldUp = accounts.find((account) => account.ai_error !== null);
  if (heldUp) return { state: 'warn', message, advice: `${heldUp.email}: ${heldUp.ai_error}` };
  if (failed) return { state: 'warn', message, advice: 'see why and try again: tintype analyse --missing' };
  return { state: 'ok', message };
}
