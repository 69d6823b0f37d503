// Which of the rows in view are drawn with their tiles: a few more with every frame, so that none has much to do however
// far one jumps, and none while they pass too fast to be looked at, whose pictures would be fetched for nobody.
import { useEffect, useState } from 'react';
import type { Rows } from './use-rows-in-view.ts';

const rowsPerFrame = 2;

/** `isReady`: the same one as long as it says the same. */
export function useDrawnRows(inView: Rows, isReady: (row: number) => boolean): ReadonlySet<number> {
  const [drawn, setDrawn] = useState<ReadonlySet<number>>(new Set());
  useEffect(() => {
    const next = rowsToDraw(inView, drawn, isReady);
    if (next.length === 0) return;
    const frame = requestAnimationFrame(() => {
      const kept = [...drawn].filter((row) => row >= inView.first && row <= inView.last);
      setDrawn(new Set([...kept, ...next]));
    });
    return () => cancelAnimationFrame(frame);
  }, [inView, drawn, isReady]);
  return drawn;
}

/** The ones in the middle first: those above and below are to be seen only later. */
function rowsToDraw(
  { first, last, arePassing }: Rows,
  drawn: ReadonlySet<number>,
  isReady: (row: number) => boolean,
): number[] {
  if (arePassing) return [];
  const middle = (first + last) / 2;
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
    .filter((row) => !drawn.has(row) && isReady(row))
    .toSorted((left, right) => Math.abs(left - middle) - Math.abs(right - middle));
  const isFirstDrawing = drawn.size === 0;
  return isFirstDrawing ? rows : rows.slice(0, rowsPerFrame);
}
