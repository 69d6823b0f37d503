// The PostgreSQL server that BENCH_DATABASE names, for scenarios that need one.
import { Client } from 'pg';

export const benchDatabase = process.env['BENCH_DATABASE'];

export const noDatabase = [
  { what: 'not measured: BENCH_DATABASE names no PostgreSQL server', value: 'skipped' },
];

export const secretKey = 'secret-key-of-the-bench-00000000';

/** The address of a database of that name, made if it is missing. */
export async function namedDatabase(name: string): Promise<{ url: string; isNew: boolean }> {
  const url = new URL(benchDatabase as string);
  await using server = await connected(url.href);
  const { rowCount } = await server.query('select 1 from pg_database where datname = $1', [name]);
  if (!rowCount) await server.query(`create database ${name}`);
  url.pathname = `/${name}`;
  return { url: url.href, isNew: !rowCount };
}

export async function dropDatabase(name: string): Promise<void> {
  await using server = await connected(benchDatabase as string);
  await server.query(`drop database if exists ${name} with (force)`);
}

export async function connected(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
