// Where an upload's bytes go before anybody knows of them: a key made for it alone, in the backend the account has chosen.
import type { Account, StorageBackend } from '../../accounts/tables.ts';
import type { NewFile } from '../../platform/storage/storage.ts';
import { newGeneration, originalKey } from '../object-keys.ts';
import type { Stores } from '../stores.ts';

export type NewOriginal = { backend: StorageBackend; generation: string; key: string; file: NewFile };

export async function newOriginal(
  stores: Stores,
  { storage_backend: backend, bucket_id }: Account,
): Promise<NewOriginal> {
  const generation = newGeneration();
  const key = originalKey(bucket_id, generation);
  return { backend, generation, key, file: await stores[backend].create(key) };
}
