// A grid of any number of tiles, of which only those in view exist.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

const gap = 8;
const leastTileWidth = 168;
/** Browsers cut off what is higher; Firefox at about this. */
const highestPixels = 16_000_000;

type GridProps = {
  readonly total: number;
  readonly label: string;
  readonly captionHeight?: number;
  readonly onShow?: (first: number, last: number) => void;
  readonly children: (index: number) => ReactNode;
};

export function Grid({ total: all, label, captionHeight = 0, onShow, children }: GridProps) {
  const element = useRef<HTMLDivElement>(null);
  const { columns, tileWidth } = useColumns(element);
  const rowHeight = tileWidth + captionHeight + gap;
  const total = Math.min(all, Math.floor(highestPixels / rowHeight) * columns);
  const virtualizer = useWindowVirtualizer({
    count: Math.ceil(total / columns),
    estimateSize: () => rowHeight,
    overscan: 3,
    scrollMargin: element.current?.offsetTop ?? 0,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  const rows = virtualizer.getVirtualItems();
  const [first, last] = [(rows[0]?.index ?? 0) * columns, ((rows.at(-1)?.index ?? 0) + 1) * columns - 1];
  useEffect(() => onShow?.(first, Math.min(last, Math.max(0, total - 1))), [onShow, first, last, total]);

  return (
    <>
      <div
        ref={element}
        role="list"
        aria-label={label}
        className="grid"
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={(event) => moveFocus(event, columns)}
      >
        {rows.map((row) =>
          Array.from({ length: Math.min(columns, total - row.index * columns) }, (_, column) => {
            const index = row.index * columns + column;
            return (
              <div
                key={index}
                role="listitem"
                aria-setsize={total}
                aria-posinset={index + 1}
                data-index={index}
                className="grid-cell"
                style={{
                  width: tileWidth,
                  height: rowHeight - gap,
                  translate: `${column * (tileWidth + gap)}px ${row.start - virtualizer.options.scrollMargin}px`,
                }}
              >
                {children(index)}
              </div>
            );
          }),
        )}
      </div>
      {total < all && (
        <p className="muted">
          The newest {total.toLocaleString('en')} are shown. Filter by tag, folder or type to see older ones.
        </p>
      )}
    </>
  );
}

function useColumns(element: React.RefObject<HTMLDivElement | null>): { columns: number; tileWidth: number } {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    setWidth(target.clientWidth);
    const observer = new ResizeObserver(() => setWidth(target.clientWidth));
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  // Two beside each other on the smallest phone.
  const columns = Math.max(2, Math.floor((width + gap) / (leastTileWidth + gap)));
  return { columns, tileWidth: Math.max(80, Math.floor((width - gap * (columns - 1)) / columns)) };
}

/** Arrow keys go from tile to tile, as in any file manager. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>, columns: number): void {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
  };
  const step = steps[event.key];
  const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
  if (step === undefined || !cell) return;
  const next = document.querySelector<HTMLElement>(
    `[data-index="${Number(cell.dataset['index']) + step}"] [data-tile]`,
  );
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}
