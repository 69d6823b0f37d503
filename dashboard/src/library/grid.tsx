// A grid of any number of tiles, of which only those in view exist.
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useDrawnRows } from './use-drawn-rows.ts';
import { useRowsInView } from './use-rows-in-view.ts';

const gap = 8;
const leastTileWidth = 168;
/** Browsers cut off what is higher; Firefox at about this. */
const highestPixels = 16_000_000;

/** Null or nothing while that one has not come. */
type DrawTile = (index: number) => ReactNode;
type GridProps = {
  readonly total: number;
  readonly label: string;
  readonly captionHeight?: number;
  readonly onShow?: (first: number, last: number) => void;
  /** What stands for a tile that is not drawn yet. */
  readonly colorOf?: (index: number) => string | null | undefined;
  /** The same one as long as it draws the same. */
  readonly children: DrawTile;
};

export function Grid({ total: all, label, captionHeight = 0, onShow, colorOf, children }: GridProps) {
  const element = useRef<HTMLDivElement>(null);
  const { columns, tileWidth } = useColumns(element);
  const rowHeight = tileWidth + captionHeight + gap;
  const total = Math.min(all, Math.floor(highestPixels / rowHeight) * columns);
  const rowCount = Math.ceil(total / columns);
  const inView = useRowsInView(element, rowCount, rowHeight);
  const { first, last } = inView;
  const drawTile = useDeferredValue(children);
  const hasCome = useCallback(
    (row: number) => Boolean(drawTile(row * columns) ?? drawTile(Math.min((row + 1) * columns, total) - 1)),
    [drawTile, columns, total],
  );
  const drawn = useDrawnRows(inView, hasCome);
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
        onKeyDown={(event) => moveFocus(event, { columns, total })}
      >
        {Array.from({ length: last - first + 1 }, (_, index) => {
          const row = first + index;
          const shape = { row, columns, tileWidth, rowHeight, total };
          return drawn.has(row) ? (
            <Row key={row} {...shape} drawTile={drawTile} />
          ) : (
            <WaitingRow key={row} {...shape} colorOf={colorOf} />
          );
        })}
      </div>
      {total < all && (
        <p className="muted">
          The newest {total.toLocaleString('en')} are shown. Filter by tag, folder or type to see older ones.
        </p>
      )}
    </>
  );
}

type RowShape = {
  readonly row: number;
  readonly columns: number;
  readonly tileWidth: number;
  readonly rowHeight: number;
  readonly total: number;
};
type RowProps = RowShape & { readonly drawTile: DrawTile };

const tilesIn = ({ row, columns, total }: RowShape): number => Math.min(columns, total - row * columns);

type WaitingRowProps = RowShape & { readonly colorOf: GridProps['colorOf'] };

/** One element that looks like tiles: thousands pass by without ever being more. */
const WaitingRow = memo(function WaitingRow({ colorOf, ...shape }: WaitingRowProps) {
  const { row, columns, tileWidth, rowHeight } = shape;
  const stripes = Array.from({ length: tilesIn(shape) }, (_, column) => {
    const color = colorOf?.(row * columns + column) ?? 'var(--raised)';
    const left = column * (tileWidth + gap);
    const right = left + tileWidth;
    return `${color} ${left}px ${right}px, transparent ${right}px ${right + gap}px`;
  });
  return (
    <div
      aria-hidden
      className="grid-row-waiting"
      style={{
        height: rowHeight - gap,
        translate: `0 ${row * rowHeight}px`,
        backgroundImage: `linear-gradient(to right, ${stripes.join(', ')})`,
      }}
    />
  );
});

const Row = memo(function Row({ drawTile, ...shape }: RowProps) {
  const { row, columns, tileWidth, rowHeight, total } = shape;
  return Array.from({ length: tilesIn(shape) }, (_, column) => {
    const index = row * columns + column;
    const tile = drawTile(index);
    if (!tile) return null;
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
        {tile}
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

/** Arrow keys go from tile to tile, as in any file manager. One that is not drawn yet is waited for. */
function moveFocus(
  event: KeyboardEvent<HTMLDivElement>,
  { columns, total }: { columns: number; total: number },
): void {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
  };
  const step = steps[event.key];
  const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
  if (step === undefined || !cell) return;
  const index = Number(cell.dataset['index']) + step;
  if (index < 0 || index >= total) return;
  event.preventDefault();
  const next = document.querySelector<HTMLElement>(`[data-index="${index}"] [data-tile]`);
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
