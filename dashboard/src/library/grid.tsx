// A grid of any number of tiles, of which only those in view exist.
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useRowsInView } from './use-rows-in-view.ts';

const gap = 8;
const leastTileWidth = 168;
/** Browsers cut off what is higher; Firefox at about this. */
const highestPixels = 16_000_000;

type DrawTile = (index: number) => ReactNode;
type GridProps = {
  readonly total: number;
  readonly label: string;
  readonly captionHeight?: number;
  readonly onShow?: (first: number, last: number) => void;
  /** The same one as long as it draws the same. */
  readonly children: DrawTile;
};

export function Grid({ total: all, label, captionHeight = 0, onShow, children }: GridProps) {
  const element = useRef<HTMLDivElement>(null);
  const { columns, tileWidth } = useColumns(element);
  const rowHeight = tileWidth + captionHeight + gap;
  const total = Math.min(all, Math.floor(highestPixels / rowHeight) * columns);
  const rowCount = Math.ceil(total / columns);
  const { first, last } = useRowsInView(element, rowCount, rowHeight);
  // What has come is drawn in small pieces too.
  const drawTile = useDeferredValue(children);
  const lastTile = Math.max(0, Math.min((last + 1) * columns, total) - 1);
  useEffect(() => onShow?.(first * columns, lastTile), [onShow, first, columns, lastTile]);

  return (
    <>
      <div
        ref={element}
        role="list"
        aria-label={label}
        className="grid"
        style={{ height: rowCount * rowHeight }}
        onKeyDown={(event) => moveFocus(event, columns)}
      >
        {Array.from({ length: last - first + 1 }, (_, row) => (
          <Row key={first + row} row={first + row} {...{ columns, tileWidth, rowHeight, total, drawTile }} />
        ))}
      </div>
      {total < all && (
        <p className="muted">
          The newest {total.toLocaleString('en')} are shown. Filter by tag, folder or type to see older ones.
        </p>
      )}
    </>
  );
}

type RowProps = {
  readonly row: number;
  readonly columns: number;
  readonly tileWidth: number;
  readonly rowHeight: number;
  readonly total: number;
  readonly drawTile: DrawTile;
};

const Row = memo(function Row({ row, columns, tileWidth, rowHeight, total, drawTile }: RowProps) {
  return Array.from({ length: Math.min(columns, total - row * columns) }, (_, column) => {
    const index = row * columns + column;
    return (
      <div
        key={column}
        role="listitem"
        aria-setsize={total}
        aria-posinset={index + 1}
        data-index={index}
        className="grid-cell"
        style={{
          width: tileWidth,
          height: rowHeight - gap,
          translate: `${column * (tileWidth + gap)}px ${row * rowHeight}px`,
        }}
      >
        {drawTile(index)}
      </div>
    );
  });
});

function useColumns(element: RefObject<HTMLDivElement | null>): { columns: number; tileWidth: number } {
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
