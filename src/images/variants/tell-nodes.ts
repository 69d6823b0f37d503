// Word between nodes of what has become of variants, so that each drops its own copies: those of an original that is gone,
// and a single one that is no longer kept for good.
import type { Database } from '../../platform/database/database.ts';
import type { Original, VariantStore } from './variant-store.ts';

const topic = 'variants';

/** Of one file, or of all of the original. */
export type TellNodes = (original: Original, fileName?: string) => Promise<void>;

export function createTellNodes(database: Database): TellNodes {
  return ({ bucketId, generation }, fileName) => {
    const key = [bucketId, generation, ...(fileName === undefined ? [] : [fileName])].join('/');
    return database.write((tx) => database.announce(tx, topic, key));
  };
}

/** What cannot be removed now is out of reach anyway, and falls to the next sweep. */
export function dropWhatOthersRemove(database: Database, store: VariantStore): void {
  database.listen(topic, (key) => {
    const [bucketId = '', generation = '', fileName] = key.split('/');
    const original = { bucketId, generation };
    const dropped = fileName === undefined ? store.remove(original) : store.release(original, fileName);
    void dropped.catch(() => undefined);
  });
}
