// Takes what resumable uploads and one-time tokens leave: parts of uploads that have ended, expired or become objects, and
// rows nobody will ask for again.
import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import type { Stores } from '../stores.ts';
import { clearParts } from './clear-parts.ts';
import { keepForMs } from './resumable-rows.ts';
import { type UploadPlace, uploadFolderKey } from './upload-keys.ts';

const atATime = 100;

export async function sweepUploads(database: Database, stores: Stores): Promise<void> {
  await endExpired(database);
  await clearEnded(database, stores);
  await forgetEnded(database, stores);
  await forgetTokens(database);
}

async function endExpired(database: Database): Promise<void> {
  const now = database.now();
  await database.write((tx) =>
    tx
      .updateTable('resumable_uploads')
      .set({ state: 'ended', expires_at: now + keepForMs })
      .where('state', '=', 'open')
      .where('expires_at', '<=', now)
      // Somebody is making an object of it.
      .where('leased_until', '<=', now)
      .execute(),
  );
}

async function clearEnded(database: Database, stores: Stores): Promise<void> {
  for (;;) {
    const ended = await database.read
      .selectFrom('resumable_uploads')
      .select(['upload_id', 'bucket_id', 'backend'])
      .where('state', '!=', 'open')
      .where('holds_parts', '=', 1)
      .limit(atATime)
      .execute();
    if (ended.length === 0) return;
    for (const upload of ended) await clearParts(database, stores, upload);
  }
}

/** Cleared once more: a request that was late may have brought a part after the end. */
async function forgetEnded(database: Database, stores: Stores): Promise<void> {
  for (;;) {
    const old = await database.read
      .selectFrom('resumable_uploads')
      .select(['upload_id', 'bucket_id', 'backend'])
      .where('state', '!=', 'open')
      .where('expires_at', '<=', database.now())
      .limit(atATime)
      .execute();
    if (old.length === 0) return;
    for (const upload of old) await clearParts(database, stores, upload);
    const ids = old.map((upload) => upload.upload_id);
    await database.write((tx) => tx.deleteFrom('resumable_uploads').where('upload_id', 'in', ids).execute());
  }
}

/** Not while an upload that was begun with it is remembered: its owner may still ask what became of it. */
async function forgetTokens(database: Database): Promise<void> {
  const now = database.now();
  await database.write((tx) =>
    sql`delete from upload_tokens where expires_at <= ${now} and not exists
      (select 1 from resumable_uploads where resumable_uploads.token_hash = upload_tokens.token_hash)`.execute(
      tx,
    ),
  );
}

/** For parts found in storage: removes those of an upload the database does not know, and tells whether it did. */
export async function removeUnknownUpload(
  database: Database,
  storage: Storage,
  place: UploadPlace,
): Promise<boolean> {
  const known = await database.read
    .selectFrom('resumable_uploads')
    .select('upload_id')
    .where('upload_id', '=', place.uploadId)
    .executeTakeFirst();
  if (known) return false;
  await storage.deleteFolder(uploadFolderKey(place));
  return true;
}
