// Walks what a store holds of objects and uploads, past the variants that nodes share through it: they may be many times as
// many, and whoever looks for originals has no use for them.
import type { Storage, StoredFacts } from '../platform/storage/storage.ts';

export const keptVariantsFolder = 'variants/';
/** Apart, so that a rule of the store can expire them. */
export const cachedVariantsFolder = 'cache/';
/** Neither can be the name of a bucket. */
export const variantFolders: readonly string[] = [keptVariantsFolder, cachedVariantsFolder];

/** No key has this character, and all that they have come before it. */
const afterAllKeys = '~';

export async function* listStored(storage: Storage): AsyncGenerator<StoredFacts & { key: string }> {
  for (let after: string | null = ''; after !== null;) {
    const files: ReturnType<Storage['list']> = storage.list('', after === '' ? {} : { after });
    after = null;
    for await (const file of files) {
      const folder = variantFolders.find((each) => file.key.startsWith(each));
      if (folder === undefined) yield file;
      else {
        after = folder + afterAllKeys;
        break;
      }
    }
  }
}
