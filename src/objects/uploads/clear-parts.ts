// Removes the bytes of a resumable upload that needs them no longer: all that lies in its folder, also what no row names.
import type { Database } from '../../platform/database/database.ts';
import type { Stores } from '../stores.ts';
import type { ResumableUpload } from '../tables.ts';
import { uploadFolderKey } from './upload-keys.ts';

type Cleared = Pick<ResumableUpload, 'upload_id' | 'bucket_id' | 'backend'>;

export async function clearParts(database: Database, stores: Stores, upload: Cleared): Promise<void> {
  const { upload_id: uploadId, bucket_id: bucketId, backend } = upload;
  await stores[backend].deleteFolder(uploadFolderKey({ bucketId, uploadId }));
  await database.write(async (tx) => {
    await tx.deleteFrom('resumable_parts').where('upload_id', '=', uploadId).execute();
    await tx
      .updateTable('resumable_uploads')
      .set({ holds_parts: 0 })
      .where('upload_id', '=', uploadId)
      .execute();
  });
}
