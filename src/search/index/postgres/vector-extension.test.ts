import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { Kysely, PGliteDialect, sql } from 'kysely';
import type { Tables } from '../../../platform/database/database.ts';
import { OperatorError } from '../../../platform/errors.ts';
import { addVectorExtension } from './vector-extension.ts';

const open = (pglite: PGlite): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });

test('a server without pgvector is told to the operator', async () => {
  await using database = open(await PGlite.create());
  await assert.rejects(addVectorExtension(database), (error) => {
    assert.ok(error instanceof OperatorError);
    assert.match(error.message, /no pgvector/);
    return true;
  });
});

test('so is one that has it but does not let us add it; added once, it is enough', async () => {
  await using database = open(await PGlite.create({ extensions: { vector } }));
  await sql`create role plain nosuperuser`.execute(database);
  await sql`set role plain`.execute(database);
  await assert.rejects(addVectorExtension(database), (error) => {
    assert.ok(error instanceof OperatorError);
    assert.match(error.message, /administrator/);
    return true;
  });
  await sql`reset role`.execute(database);
  await addVectorExtension(database);
  await sql`set role plain`.execute(database);
  await addVectorExtension(database);
  await sql`reset role`.execute(database);
  await sql`update pg_extension set extversion = '0.7.4' where extname = 'vector'`.execute(database);
  await assert.rejects(addVectorExtension(database), /pgvector 0\.7\.4.*0\.8/);
});
