// What the renderer needs of a stored object: where its original lies and what is known of it.
import { originalKey } from '../../objects/object-keys.ts';
import type { Stores } from '../../objects/stores.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import type { SourceFacts } from '../rendering/plan.ts';

export type OriginalImage = {
  readonly bucketId: string;
  /** 24 hexadecimal digits. */
  readonly generation: string;
  readonly facts: SourceFacts;
  /** Asked only when there is something to render. */
  localPath(): Promise<string>;
};

export type ImageRow = Pick<
  ObjectRow,
  'backend' | 'bucket_id' | 'generation' | 'type' | 'width' | 'height' | 'frames' | 'alpha'
>;

export function originalImageOf(stores: Stores, object: ImageRow): OriginalImage {
  const { width, height, frames, type } = object;
  return {
    bucketId: object.bucket_id,
    generation: object.generation,
    facts: { width, height, frames, alpha: object.alpha === 1, type },
    localPath: () => {
      const path = stores[object.backend].localPath(originalKey(object.bucket_id, object.generation));
      return path ? Promise.resolve(path) : Promise.reject(new Error('This storage has no local files'));
    },
  };
}
