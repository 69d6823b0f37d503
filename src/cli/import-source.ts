// From what stands behind `tintype import` to a source: a folder, a list of addresses in a file or from standard input, or
// a bucket. What is named wrongly is found before anything is opened.
import { readFile, realpath, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { bucketSource } from '../importing/bucket-source.ts';
import { folderSource } from '../importing/folder-source.ts';
import type { ImportSource } from '../importing/import-source.ts';
import { listSource } from '../importing/list-source.ts';
import { openBucket } from '../platform/storage/s3/open-bucket.ts';
import { parseS3Address } from '../platform/storage/s3/s3-address.ts';
import { UsageError } from './arguments.ts';

export async function findImportSource(place: string): Promise<() => Promise<ImportSource>> {
  if (place === '-') return async () => listSource(await text(process.stdin));
  if (place.startsWith('s3:')) return bucketAt(place);
  const facts = await stat(place).catch(() => null);
  if (facts?.isDirectory()) return async () => folderSource(await realpath(place));
  if (!facts) throw new UsageError(`There is no folder or list ${place}`);
  if (!facts.isFile() || !/\.(txt|tsv)$/i.test(place))
    throw new UsageError(`${place} is neither a folder nor a list of addresses, which ends in .txt or .tsv`);
  return async () => listSource(await readFile(place, 'utf8'));
}

function bucketAt(address: string): () => Promise<ImportSource> {
  try {
    parseS3Address(address);
  } catch (error) {
    throw new UsageError(`The address of the bucket ${(error as Error).message}`);
  }
  return async () => bucketSource(await openBucket(address));
}
