import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTempDatabase } from '../../test/support/temp-database.ts';
import { newAccount } from '../accounts/new-account.ts';
import { accountMigrations } from '../accounts/tables.ts';
import { jobMigrations } from '../platform/jobs/jobs.ts';
import { eventMigrations } from './tables.ts';

test('addresses that were set before there were endpoints become endpoints, with their secrets', async () => {
  await using temp = await openTempDatabase([...jobMigrations, ...accountMigrations]);
  const { database } = temp;
  const url = 'https://hooks.example.com/';
  const old = {
    ...newAccount({ email: 'a@example.com' }),
    webhook_url: url,
    webhook_secret_sealed: 'v1.sealed',
  };
  const other = newAccount({ email: 'b@example.com' });
  await database.write((tx) => tx.insertInto('accounts').values([old, other]).execute());
  await database.migrate([...jobMigrations, ...accountMigrations, ...eventMigrations]);
  assert.deepEqual(await database.read.selectFrom('webhooks').selectAll().execute(), [
    {
      webhook_id: old.account_id.replace('acc_', 'wh_'),
      account_id: old.account_id,
      url,
      events: ' video.ready video.failed ',
      enabled: 1,
      disabled_reason: null,
      source: 'settings',
      secret_sealed: 'v1.sealed',
      previous_secret_sealed: null,
      previous_until: null,
      created_at: old.created_at,
    },
  ]);
  const accounts = await database.read.selectFrom('accounts').select('webhook_secret_sealed').execute();
  assert.deepEqual(accounts, [{ webhook_secret_sealed: null }, { webhook_secret_sealed: null }]);
});
