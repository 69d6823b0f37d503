// Where the nodes of a service count requests together: only on PostgreSQL, since the embedded database has one node. The
// columns are those the limiter's library expects.
import { sql } from 'kysely';
import type { Migration } from '../platform/database/database.ts';
import { engineOf } from '../platform/database/locking-rows.ts';

export const requestRateTable = 'request_rates';

export const requestRateMigrations: Migration[] = [
  {
    name: '0013-request-rates',
    async up(tx) {
      if (engineOf(tx) !== 'postgres') return;
      // Written with every request and worth nothing a minute later: a crash of the server may empty it.
      await sql`create unlogged table request_rates (
        key varchar(255) primary key, points integer not null default 0, expire bigint)`.execute(tx);
    },
  },
];
