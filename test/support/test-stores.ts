// Where the servers of tests keep their files: folders, unless TEST_STORES=s3 asks for S3-compatible storage, so that the
// whole suite can be run on either.
import { type buckets, startS3Server } from './s3-server.ts';

type StoreSettings = { FILES_STORE: string; STORAGE_STORE: string };

export const storesInS3 = process.env['TEST_STORES'] === 's3';

/** For tests that look into the folders of stores. */
export const aboutFolders = storesInS3 && 'this run keeps files in S3';

const known = new Map<string, Promise<StoreSettings>>();

/** The same for every server that uses the folder, as a restart finds what was there before. */
export async function storeSettings(dataDir: string): Promise<Partial<StoreSettings>> {
  if (!storesInS3) return {};
  let found = known.get(dataDir);
  if (!found) known.set(dataDir, (found = newS3Stores('second-bucket')));
  return found;
}

export async function newS3Stores(second: (typeof buckets)[number]): Promise<StoreSettings> {
  const server = await startS3Server();
  return { FILES_STORE: server.newStore(), STORAGE_STORE: server.newStore(second) };
}
