// Which rows of a grid of equal rows are in view or close to it, as the window is scrolled.
import { type RefObject, useEffect, useState } from 'react';

/** Drawn beyond what is in view, so that they are there when they come into it. */
const spareRows = 2;
/** Faster than so many windows in this time, nobody sees more than colours. */
const glimpse = { windows: 0.35, ms: 100 };

export type Rows = {
  readonly first: number;
  readonly last: number;
  /** They pass too fast to be looked at. */
  readonly arePassing: boolean;
};

export function useRowsInView(grid: RefObject<HTMLElement | null>, count: number, rowHeight: number): Rows {
  const [rows, setRows] = useState<Rows>({ first: 0, last: -1, arePassing: false });
  useEffect(() => {
    const element = grid.current;
    if (!element) return;
    let top = 0;
    let lookAgain: ReturnType<typeof setTimeout> | undefined;
    const passesFast = speedometer();
    const look = (): void => {
      const above = scrollY - top;
      const first = Math.max(0, Math.floor(above / rowHeight) - spareRows);
      const last = Math.min(count - 1, Math.ceil((above + innerHeight) / rowHeight) - 1 + spareRows);
      // Whoever goes from tile to tile by the keyboard must find the next one.
      const arePassing = passesFast() && !element.contains(document.activeElement);
      clearTimeout(lookAgain);
      if (arePassing) lookAgain = setTimeout(look, glimpse.ms);
      setRows((now) =>
        now.first === first && now.last === last && now.arePassing === arePassing
          ? now
          : { first, last, arePassing },
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
      clearTimeout(lookAgain);
      observer.disconnect();
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [grid, count, rowHeight]);
  return rows;
}

/** Tells, whenever it is asked, whether the window is scrolled fast. One jump after a rest is not. */
function speedometer(): () => boolean {
  let places = [{ y: scrollY, at: performance.now() }];
  return () => {
    const now = { y: scrollY, at: performance.now() };
    // From the last place before the moment that counts.
    const begin = places.findLastIndex(({ at }) => at <= now.at - glimpse.ms);
    places = [...places.slice(Math.max(0, begin)), now];
    const { y, at } = places[0] ?? now;
    const windows = Math.abs(now.y - y) / innerHeight;
    return windows > (glimpse.windows * Math.max(glimpse.ms, now.at - at)) / glimpse.ms;
  };
}
