// The library: everything that is stored, newest first, or what was searched for.
import './library.css';
import { useCallback } from 'react';
import { Link } from 'wouter';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { count } from '../parts/units.ts';
import { useTitle } from '../parts/use-title.ts';
import { paths } from '../paths.ts';
import { FilterBar } from './filter-bar.tsx';
import { type Filters, useFilters } from './filters.ts';
import { FoundObjects } from './found.tsx';
import { Grid } from './grid.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { Tile } from './tile.tsx';
import { useObjects } from './use-objects.ts';
import { SelectionContext, useSelection } from './use-selection.ts';

export function LibraryPage() {
  useTitle('Library');
  const [filters, change] = useFilters();
  return (
    <div className="stack">
      <div className="row spread">
        <h1>Library</h1>
        <Link href={paths.upload} className="button primary">
          Upload
        </Link>
      </div>
      <FilterBar filters={filters} onChange={change} />
      {filters.q === '' ? (
        <StoredObjects
          // Another filter shows others: nothing stays selected that is not to be seen.
          key={JSON.stringify(filters)}
          filters={filters}
          onClear={() => change({ tags: [], folder: null, type: null })}
        />
      ) : (
        <FoundObjects key={JSON.stringify(filters)} filters={filters} />
      )}
    </div>
  );
}

function StoredObjects({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  const objects = useObjects(filters);
  const selection = useSelection(objects.at, objects.between);
  const { at } = objects;
  const drawTile = useCallback(
    (index: number) => {
      const object = at(index);
      return object && <Tile index={index} object={object} />;
    },
    [at],
  );
  const colorOf = useCallback((index: number) => at(index)?.dominant_color, [at]);
  const isFiltered = filters.tags.length > 0 || filters.folder !== null || filters.type !== null;
  if (objects.error) return <Failure error={objects.error} retry={objects.retry} />;
  if (objects.total === null) return <Loading what="the library" error={objects.failure} />;
  if (objects.total === 0) return isFiltered ? <NothingMatches onClear={onClear} /> : <EmptyLibrary />;
  return (
    <>
      <p className="muted" role="status">
        {objects.isCounted ? count(objects.total, 'object') : 'More than 10,000 objects'}
      </p>
      <SelectionContext value={selection}>
        <Grid total={objects.total} label="Objects" onShow={objects.show} colorOf={colorOf}>
          {drawTile}
        </Grid>
      </SelectionContext>
      {selection.objects.size > 0 && <SelectionBar selection={selection} />}
    </>
  );
}

function EmptyLibrary() {
  return (
    <div className="state">
      <h2>Nothing here yet</h2>
      <p>Upload a picture or a film, and see it here with its addresses a moment later.</p>
      <Link href={paths.upload} className="button primary">
        Upload the first one
      </Link>
      <p className="muted">
        or from a terminal:{' '}
        <code>curl -H "Authorization: Bearer $KEY" -F file=@picture.jpg {location.origin}/upload/</code>
      </p>
    </div>
  );
}

function NothingMatches({ onClear }: { onClear: () => void }) {
  return (
    <div className="state" role="status">
      <h2>Nothing passes this filter</h2>
      <button type="button" onClick={onClear}>
        Show everything
      </button>
    </div>
  );
}
