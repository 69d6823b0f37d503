// One object of an account by its id; somebody else's is not found.
import type { Database, Tx } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import { isObjectId } from './object-fields.ts';
import type { ObjectRow } from './tables.ts';

export async function findObject(
  source: Tx | Database['read'],
  accountId: string,
  objectId: string,
): Promise<ObjectRow> {
  const found = isObjectId(objectId)
    ? await source
        .selectFrom('objects')
        .innerJoin('accounts', 'accounts.bucket_id', 'objects.bucket_id')
        .selectAll('objects')
        .where('accounts.account_id', '=', accountId)
        .where('objects.object_id', '=', objectId)
        .executeTakeFirst()
    : undefined;
  if (!found) throw new AppError('object_not_found');
  return found;
}
