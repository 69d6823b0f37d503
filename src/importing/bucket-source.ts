// A bucket of S3-compatible storage, or what lies below a prefix in it: the rest of each key is a path, as in a folder.
import type { Bucket } from '../platform/storage/s3/open-bucket.ts';
import type { FoundFile, ImportSource } from './import-source.ts';

export function bucketSource(bucket: Bucket): ImportSource {
  return {
    name: bucket.name,
    async *items() {
      for await (const found of bucket.list()) if (!isLeftOut(found.key)) yield fileOf(bucket, found);
    },
  };
}

/** Marks of folders, and what begins with a dot, as in a folder. */
function isLeftOut(key: string): boolean {
  return key === '' || key.endsWith('/') || key.split('/').some((part) => part.startsWith('.'));
}

function fileOf(
  bucket: Bucket,
  { key, size, modifiedAt }: { key: string; size: number; modifiedAt: number },
): FoundFile {
  return {
    kind: 'file',
    path: key,
    open: async () => ({
      state: `${size} ${modifiedAt}`,
      sizeBytes: size,
      read: () => bucket.read(key),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}
