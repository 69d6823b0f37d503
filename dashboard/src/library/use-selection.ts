// Which tiles are selected, also over pages that are no longer in view.
import { createContext, useMemo, useRef, useState } from 'react';
import { useNotices } from '../parts/notices.tsx';
import type { TileObject } from './tile.tsx';

export type Selected = TileObject & { readonly size?: number };
export type Selection = {
  readonly objects: ReadonlyMap<string, Selected>;
  /** With `extend`, all between the last one and this. */
  readonly set: (index: number, isSelected: boolean, extend: boolean) => void;
  readonly clear: () => void;
};

/** Tiles ask for it themselves: they show at once that they were selected, without being drawn again for anything else. */
export const SelectionContext = createContext<Selection>({
  objects: new Map(),
  set: () => undefined,
  clear: () => undefined,
});

/** `between` may have to fetch what is not in view. */
export function useSelection(
  at: (index: number) => Selected | undefined,
  between: (first: number, last: number) => Promise<readonly Selected[]>,
): Selection {
  const [objects, setObjects] = useState<ReadonlyMap<string, Selected>>(new Map());
  const lastSet = useRef(0);
  const notices = useNotices();
  return useMemo(() => {
    const change = (changed: readonly Selected[], isSelected: boolean): void =>
      setObjects((now) => {
        const next = new Map(now);
        for (const object of changed)
          if (isSelected) next.set(object.object_id, object);
          else next.delete(object.object_id);
        return next;
      });
    return {
      objects,
      set(index, isSelected, extend) {
        const one = at(index);
        const last = lastSet.current;
        lastSet.current = index;
        if (!extend) return change(one ? [one] : [], isSelected);
        between(Math.min(last, index), Math.max(last, index)).then(
          (all) => change(all, isSelected),
          (error: unknown) => notices.failed(error),
        );
      },
      clear: () => setObjects(new Map()),
    };
  }, [objects, at, between, notices]);
}
