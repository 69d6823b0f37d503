// The doctor's look at what is stored: the database, sealed secrets, background jobs, and who has the data folder.
import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import { databaseFile, holdObjects, openStores } from '../core.ts';
import { refuseHalfCopied } from '../keeping/moving/copy-state.ts';
import { refuseFenced, refuseMovedFile } from '../keeping/moving/moved-database.ts';
import { lockHolder } from '../platform/database/data-dir-lock.ts';
import type { Tables } from '../platform/database/database.ts';
import { faultsOfSqliteFile } from '../platform/database/sqlite/file.ts';
import { createSecretBox, loadSecretKey } from '../platform/secrets.ts';
import type { Finding } from './doctor-finding.ts';
import { readDatabase } from './read-database.ts';

const overdueMs = 600_000;

export async function checkDatabase(config: Config): Promise<Finding> {
  const file = databaseFile(config);
  const name = config.DATABASE_URL ? 'the PostgreSQL database' : file;
  if (!config.DATABASE_URL) refuseMovedFile(file);
  const faults = config.DATABASE_URL || !existsSync(file) ? [] : faultsOfSqliteFile(file);
  if (faults.length > 0) {
    const advice =
      'stop the server, keep a copy of the data folder, then restore a backup or run "tintype rebuild --force"';
    return { state: 'fail', message: `${file} is damaged: ${faults.slice(0, 3).join('; ')}`, advice };
  }
  const finding = await readDatabase<Finding | null>(config, async (read) => {
    if (!config.DATABASE_URL) await refuseFenced(read);
    await refuseHalfCopied({ read });
    const count = async (table: 'accounts' | 'objects'): Promise<number> =>
      (
        await read
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
      ).count;
    const [accounts, objects] = [await count('accounts'), await count('objects')];
    if (accounts === 0) return null;
    const state = config.DATABASE_URL ? 'answers' : 'is sound';
    return { state: 'ok', message: `${name} ${state}: ${accounts} accounts, ${objects} objects` };
  });
  return finding ?? noDatabase(config, name);
}

async function noDatabase(config: Config, name: string): Promise<Finding> {
  if (existsSync(config.dataDir) && (await holdObjects(await openStores(config)))) {
    const advice = 'before you start the server, run "tintype rebuild"';
    return { state: 'fail', message: `${name} is missing or empty, but the stores hold objects`, advice };
  }
  return { state: 'warn', message: 'there is none yet', advice: 'nothing: the first start makes it' };
}

export async function checkSecrets(config: Config): Promise<Finding> {
  return reading(config, async (read) => {
    const rows = await read
      .selectFrom('accounts')
      .select(['openai_api_key_sealed', 'signing_secret_sealed', 'webhook_secret_sealed'])
      .execute();
    const sealed = [...rows, ...(await webhookSecrets(read))]
      .flatMap((row) => Object.values(row))
      .filter((text) => text !== null);
    if (sealed.length === 0) return { state: 'ok', message: 'none yet' };
    const secretKey = await loadSecretKey({ configured: config.SECRET_KEY, dataDir: config.dataDir });
    const box = createSecretBox(secretKey);
    const unreadable = sealed.filter((text) => !opens(() => box.open(text))).length;
    if (unreadable === 0) return { state: 'ok', message: `${sealed.length} stored, all can be opened` };
    return {
      state: 'fail',
      message: `${unreadable} of ${sealed.length} stored secrets cannot be opened`,
      advice: 'set SECRET_KEY, or restore secret.key in the data folder, as it was when they were stored',
    };
  });
}

/** None in a database that an earlier version made and this one has not opened yet. */
async function webhookSecrets(read: Kysely<Tables>): Promise<{ secret_sealed: string }[]> {
  const tables = await read.introspection.getTables();
  if (!tables.some(({ name }) => name === 'webhooks')) return [];
  return read.selectFrom('webhooks').select('secret_sealed').execute();
}

function opens(open: () => string): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}

export async function checkJobs(config: Config): Promise<Finding> {
  return reading(config, async (read) => {
    const jobs = await read.selectFrom('jobs').select(['kind', 'dead', 'run_at', 'last_error']).execute();
    const dead = jobs.filter((job) => job.dead === 1);
    const overdue = jobs.filter((job) => job.dead === 0 && job.run_at < Date.now() - overdueMs);
    const message = `${jobs.length - dead.length} waiting, ${dead.length} given up`;
    if (dead.length > 0) {
      const kinds = [...new Set(dead.map((job) => job.kind))].join(', ');
      const advice = `see why in the log; the last said: ${dead.at(-1)?.last_error ?? 'nothing'}`;
      return { state: 'warn', message: `${message} (${kinds})`, advice };
    }
    if (overdue.length === 0) return { state: 'ok', message };
    return {
      state: 'warn',
      message: `${message}, ${overdue.length} for more than 10 minutes`,
      advice: 'start the server, which does them; if it runs, see its log',
    };
  });
}

export function checkServer({ dataDir }: Config): Finding {
  const holder = lockHolder(dataDir);
  return { state: 'ok', message: holder === null ? 'not running' : `running: ${holder}` };
}

async function reading(config: Config, look: (read: Kysely<Tables>) => Promise<Finding>): Promise<Finding> {
  return (await readDatabase(config, look)) ?? { state: 'ok', message: 'none yet' };
}
