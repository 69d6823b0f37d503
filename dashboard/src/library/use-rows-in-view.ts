// Which rows of a grid of equal rows are in view or close to it, as the window is scrolled.
import { type RefObject, startTransition, useEffect, useState } from 'react';

/** Drawn beyond what is in view, so that they are there when they come into it. */
const spareRows = 2;

export type Rows = { readonly first: number; readonly last: number };

export function useRowsInView(grid: RefObject<HTMLElement | null>, count: number, rowHeight: number): Rows {
  const [rows, setRows] = useState<Rows>({ first: 0, last: -1 });
  useEffect(() => {
    const element = grid.current;
    if (!element) return;
    let top = 0;
    const look = (): void => {
      const above = scrollY - top;
      const first = Math.max(0, Math.floor(above / rowHeight) - spareRows);
      const last = Math.min(count - 1, Math.ceil((above + innerHeight) / rowHeight) - 1 + spareRows);
      // Tiles are drawn in small pieces, between which the page goes on scrolling.
      startTransition(() =>
        setRows((now) => (now.first === first && now.last === last ? now : { first, last })),
      );
    };
    // Asked for at every scroll, it would have the page laid out each time.
    const measure = (): void => {
      top = element.getBoundingClientRect().top + scrollY;
      look();
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // What stands above may grow by a line.
    if (element.parentElement) observer.observe(element.parentElement);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [grid, count, rowHeight]);
  return rows;
}
