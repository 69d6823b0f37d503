// Where variants lie, on a node's disk and in a store. A path or key is made of our own ids and of hashes: nothing a client
// wrote is part of it.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { cachedVariantsFolder, keptVariantsFolder } from '../../objects/list-stored.ts';
import { printTransformation } from '../address/transformation.ts';
import type { VariantTransformation } from '../address/transformation.ts';

const hashCharacters = 32;

type Owner = { readonly bucketId: string; readonly generation: string };

/** The folder of all variants of one original, below the folder of a whole store. */
export function variantsFolder(root: string, bucketId: string, generation: string): string {
  return join(root, ...partsOf({ bucketId, generation }));
}

/**
 * The same in a store that nodes share. What may be dropped lies apart from what is kept, so that a rule of the store can
 * expire it; neither can be the name of a bucket.
 */
export function variantsFolderKey(owner: Owner, kept: boolean): string {
  return `${(kept ? keptVariantsFolder : cachedVariantsFolder) + partsOf(owner).join('/')}/`;
}

export function variantKey(owner: Owner, fileName: string, kept: boolean): string {
  return variantsFolderKey(owner, kept) + fileName;
}

function partsOf({ bucketId, generation }: Owner): string[] {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(bucketId)) throw new Error('not a bucket id');
  if (!/^[0-9a-f]{24}$/.test(generation)) throw new Error('not a generation');
  return [bucketId, generation.slice(0, 5), generation.slice(5, 7), generation];
}

/** A watermark's generation is part of the name: once its object is gone, nobody can ask for the file any more. */
export function variantFileName(transformation: VariantTransformation, markGeneration?: string): string {
  const name = printTransformation(transformation) + (markGeneration ? ` ${markGeneration}` : '');
  return `${hash('sha256', name, 'hex').slice(0, hashCharacters)}.${transformation.format}`;
}
