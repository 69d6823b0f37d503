// What was found by describing it, the most alike first, with score and caption.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { type Found, isRefusal } from '../../../client/src/index.ts';
import { tintype } from '../api.ts';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { count } from '../parts/units.ts';
import { paths } from '../paths.ts';
import type { Filters } from './filters.ts';
import { Grid } from './grid.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { Tile, type TileObject } from './tile.tsx';
import { SelectionContext, useSelection } from './use-selection.ts';

const captionHeight = 72;
const atMost = 100;
const nothing: readonly Found[] = [];

export function FoundObjects({ filters }: { filters: Filters }) {
  const { q, tags, folder, threshold } = filters;
  const search = useQuery({
    queryKey: ['search', q, tags, folder, threshold],
    queryFn: ({ signal }) =>
      tintype.search(q, {
        threshold,
        limit: atMost,
        mode: 'hybrid',
        ...(tags.length > 0 ? { tags } : {}),
        ...(folder === null ? {} : { folder }),
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  const found = search.data ?? nothing;
  const { at, between, drawTile } = useMemo(() => tilesOf(found), [found]);
  const selection = useSelection(at, between);
  if (search.isError) return <WhyNot error={search.error} retry={() => void search.refetch()} />;
  if (!search.data) return <Loading what="what is alike" error={search.failureReason} />;
  if (found.length === 0) return <NothingFound q={q} threshold={threshold} />;
  return (
    <>
      <p className="muted" role="status">
        {count(found.length, 'picture')} found{found.length === atMost ? ', the most alike of more' : ''}
      </p>
      <SelectionContext value={selection}>
        <Grid total={found.length} label="Found pictures" captionHeight={captionHeight}>
          {drawTile}
        </Grid>
      </SelectionContext>
      {selection.objects.size > 0 && <SelectionBar selection={selection} />}
    </>
  );
}

function tilesOf(found: readonly Found[]) {
  const tiles = found.map(asTile);
  return {
    at: (index: number): TileObject | undefined => tiles[index],
    between: async (first: number, last: number): Promise<readonly TileObject[]> =>
      tiles.slice(first, last + 1),
    drawTile: (index: number): ReactNode => {
      const object = tiles[index];
      return object && <Tile index={index} object={object} score={found[index]?.similarity} />;
    },
  };
}

function asTile({ objectId, objectUrl, caption }: Found): TileObject {
  return { object_id: objectId, object_url: objectUrl, caption };
}

function NothingFound({ q, threshold }: { q: string; threshold: number }) {
  return (
    <div className="state" role="status">
      <h2>Nothing is like “{q}”</h2>
      <p>
        {threshold > 0.5
          ? 'Move the slider to the left to allow less alike ones, or describe what is to be seen in other words.'
          : 'Describe what is to be seen in other words.'}
      </p>
      <AnalysisProgress />
    </div>
  );
}

function AnalysisProgress() {
  const { data } = useQuery({
    queryKey: ['analysis'],
    queryFn: ({ signal }) => tintype.account.analysis({ signal }),
  });
  if (!data || data.waiting === 0) return null;
  return (
    <p className="muted">
      {count(data.waiting, 'picture')} are yet to be analysed and cannot be found so far.
    </p>
  );
}

function WhyNot({ error, retry }: { error: Error; retry: () => void }) {
  if (!isRefusal(error, 'analysis_off', 'ai_key_missing')) return <Failure error={error} retry={retry} />;
  return (
    <div className="state" role="status">
      <h2>Search by description is off</h2>
      <p>
        {isRefusal(error, 'analysis_off')
          ? 'Pictures are described by a model when analysis is on; then they can be found by what people type.'
          : 'Analysis is on, but has no key for the provider yet.'}
      </p>
      <Link href={`${paths.account}/ai`} className="button primary">
        Set up analysis
      </Link>
    </div>
  );
}
