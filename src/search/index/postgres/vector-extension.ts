// PostgreSQL knows vectors by an extension, pgvector, that an operator may have to install or allow first.
import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/database.ts';
import { OperatorError } from '../../../platform/errors.ts';

const insufficientPrivilege = '42501';

export async function addVectorExtension(tx: Tx): Promise<void> {
  const found = await sql<{ installed: string | null; available: string | null }>`select
    (select extversion from pg_extension where extname = 'vector') as installed,
    (select default_version from pg_available_extensions where name = 'vector') as available`.execute(tx);
  const { installed = null, available = null } = found.rows[0] ?? {};
  const version = installed ?? available;
  if (version === null)
    throw new OperatorError(
      'The PostgreSQL server has no pgvector. Install it there (0.8 or newer; the package is often called postgresql-<version>-pgvector), or choose a server that has it.',
    );
  if (isTooOld(version))
    throw new OperatorError(
      `The PostgreSQL server has pgvector ${version}, and 0.8 or newer is needed. Update it there, then run "alter extension vector update" in the database.`,
    );
  if (installed === null) await create(tx);
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 0 && minor < 8;
}

async function create(tx: Tx): Promise<void> {
  try {
    await sql`create extension if not exists vector`.execute(tx);
  } catch (error) {
    if ((error as { code?: string }).code !== insufficientPrivilege) throw error;
    throw new OperatorError(
      'The user of DATABASE_URL may not add pgvector to the database. Have an administrator run "create extension vector" in it once.',
      { cause: error },
    );
  }
}
