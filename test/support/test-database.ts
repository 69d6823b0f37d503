// On which database tests run: SQLite unless TEST_DATABASE says `pglite` (a PostgreSQL inside the test process) or gives the
// address of a PostgreSQL server, where every service under test gets a database of its own.
import { randomBytes } from 'node:crypto';
import type { OpenDatabase } from '../../src/core.ts';
import { openPostgresDatabase } from '../../src/platform/database/postgres/postgres-database.ts';

export const testDatabase = process.env['TEST_DATABASE'] ?? 'sqlite';

/** For tests of what only the embedded database has: `test(name, onlyOnSqlite, …)`. */
export const onlyOnSqlite = {
  skip: testDatabase === 'sqlite' ? false : 'this is about the embedded SQLite',
};

export type TestDatabase = {
  environment: Record<string, string>;
  openDatabase?: OpenDatabase;
  drop(): Promise<void>;
};

const secretKey = 'secret-key-of-tests-0000000000';
const ofFolders = new Map<string, Promise<TestDatabase>>();

/** One that stays for the data folder it belongs to, however often a service is started there. */
export function databaseOfFolder(dataDir: string): Promise<TestDatabase> {
  const known = ofFolders.get(dataDir);
  if (known) return known;
  const made = newTestDatabase();
  ofFolders.set(dataDir, made);
  return made;
}

export async function dropDatabaseOfFolder(dataDir: string): Promise<void> {
  const known = ofFolders.get(dataDir);
  ofFolders.delete(dataDir);
  await (await known)?.drop();
}

async function newTestDatabase(): Promise<TestDatabase> {
  if (testDatabase === 'sqlite') return { environment: {}, drop: async () => undefined };
  if (testDatabase === 'pglite') return newPgliteDatabase();
  return newServerDatabase(testDatabase);
}

async function newPgliteDatabase(): Promise<TestDatabase> {
  const { startPglite } = await import('./pglite-sessions.ts');
  const engine = await startPglite();
  return {
    environment: { SECRET_KEY: secretKey },
    openDatabase: (_config, neighbours) => openPostgresDatabase(engine.open(), neighbours),
    drop: () => engine.stop(),
  };
}

async function newServerDatabase(address: string): Promise<TestDatabase> {
  const { Client } = await import('pg');
  const name = `tintype_test_${randomBytes(6).toString('hex')}`;
  const run = async (statement: string): Promise<void> => {
    const client = new Client({ connectionString: address });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await run(`create database ${name}`);
  const url = new URL(address);
  url.pathname = `/${name}`;
  return {
    environment: { SECRET_KEY: secretKey, DATABASE_URL: url.href },
    drop: () => run(`drop database if exists ${name} with (force)`),
  };
}

// What a test that failed has left; not by a hook of the tests, since those that were registered first run first.
if (testDatabase !== 'sqlite')
  process.once('beforeExit', () => {
    for (const dataDir of ofFolders.keys()) void dropDatabaseOfFolder(dataDir);
  });
