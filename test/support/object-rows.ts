// Accounts and objects as rows, put in place the way an upload does it, for tests below HTTP.
import { createAccount } from '../../src/accounts/accounts.ts';
import { takeStorage } from '../../src/accounts/quota.ts';
import type { Account } from '../../src/accounts/tables.ts';
import { changeFacets, facetsOf } from '../../src/objects/facets.ts';
import { newGeneration } from '../../src/objects/object-keys.ts';
import type { ObjectRow } from '../../src/objects/tables.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { runStatements } from '../../src/platform/database/statement.ts';

export async function newTestAccount(database: Database): Promise<Account> {
  return (await createAccount(database, { email: 'someone@example.com', tier: 'enterprise' })).account;
}

export function objectRow(account: Account, values: Partial<ObjectRow> = {}): ObjectRow {
  const generation = values.generation ?? newGeneration();
  return {
    generation,
    account_id: account.account_id,
    bucket_id: account.bucket_id,
    object_id: generation.slice(-12),
    custom_id: 0,
    seq: 1,
    backend: 'files',
    kind: 'image',
    type: 'image/png',
    size_bytes: 100,
    sha256: 'a'.repeat(64),
    width: 10,
    height: 10,
    frames: 1,
    alpha: 0,
    folder: null,
    tags: '[]',
    original_file_name: 'picture.png',
    status: 'ready',
    caption: null,
    caption_model: null,
    thumbhash: null,
    dominant_color: null,
    duration_ms: null,
    progress: null,
    error: null,
    film: null,
    created_at: Date.now(),
    ...values,
  };
}

export function insertObject(
  database: Database,
  account: Account,
  values: Partial<Omit<ObjectRow, 'seq'>> = {},
): Promise<ObjectRow> {
  return database.write(async (tx) => {
    const row = objectRow(account, values);
    await runStatements(tx, [takeStorage(account.account_id, row.size_bytes)]);
    const { next_seq: next } = await tx
      .selectFrom('accounts')
      .select('next_seq')
      .where('account_id', '=', account.account_id)
      .executeTakeFirstOrThrow();
    const object = { ...row, seq: next - 1 };
    await Promise.all([
      tx.insertInto('objects').values(object).execute(),
      changeFacets(tx, object, { add: facetsOf(object) }),
    ]);
    return object;
  });
}
