// Nodes that share a database must share SECRET_KEY: what one seals, all must be able to open. The first that starts leaves the
// fingerprint of its key, and the others compare theirs.
import { sql } from 'kysely';
import type { Database } from './platform/database/database.ts';
import { OperatorError } from './platform/errors.ts';
import type { SecretBox } from './platform/secrets.ts';

export async function checkSecretKey(database: Database, { fingerprint }: SecretBox): Promise<void> {
  const first = await database.write(async (tx) => {
    await sql`insert into service_facts (name, value) values ('secret_key', ${fingerprint})
      on conflict (name) do nothing`.execute(tx);
    const { rows } = await sql<{ value: string }>`select value from service_facts
      where name = 'secret_key'`.execute(tx);
    return rows[0]?.value;
  });
  if (first !== fingerprint) {
    throw new OperatorError(
      'SECRET_KEY is not the one this database was first used with: stored secrets could not be opened. Set the same on every node.',
    );
  }
}
