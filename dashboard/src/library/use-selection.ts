// Which tiles are selected, also over pages that are no longer in view.
import { useCallback, useState } from 'react';
import type { TileObject } from './tile.tsx';

export type Selected = TileObject & { readonly size?: number };
export type Selection = {
  readonly objects: ReadonlyMap<string, Selected>;
  /** With `extend`, all between the last one and this. */
  readonly set: (index: number, isSelected: boolean, extend: boolean) => void;
  readonly clear: () => void;
};

export function useSelection(at: (index: number) => Selected | undefined): Selection {
  const [objects, setObjects] = useState<ReadonlyMap<string, Selected>>(new Map());
  const [last, setLast] = useState(0);
  return {
    objects,
    set(index, isSelected, extend) {
      const from = extend ? last : index;
      const next = new Map(objects);
      for (let each = Math.min(from, index); each <= Math.max(from, index); each += 1) {
        const object = at(each);
        if (object && isSelected) next.set(object.object_id, object);
        else if (object) next.delete(object.object_id);
      }
      setObjects(next);
      setLast(index);
    },
    clear: useCallback(() => setObjects(new Map()), []),
  };
}
