// The objects of a library, fetched by the page as they come into view, however many there are: any page costs the
// service the same.
import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Listing, ObjectDetails } from '../../../client/src/index.ts';
import { tintype } from '../api.ts';
import { type Filters, listQuery } from './filters.ts';

export const pageSize = 100;
const refreshMs = 4000;

export type Objects = {
  /** Null while the first page is under way. */
  readonly total: number | null;
  /** False where the service does not count; the total is then what is known so far. */
  readonly isCounted: boolean;
  readonly at: (index: number) => ObjectDetails | undefined;
  /** Also those that are not in view; fetched if need be. */
  readonly between: (first: number, last: number) => Promise<readonly ObjectDetails[]>;
  readonly show: (first: number, last: number) => void;
  readonly error: Error | null;
  readonly failure: Error | null;
  readonly retry: () => void;
};

export function useObjects(filters: Filters): Objects {
  const query = useMemo(() => listQuery(filters), [filters]);
  const queries = useQueryClient();
  const [range, setRange] = useState<[number, number]>([0, 0]);
  const first = useQuery({ ...pageOptions(query, 0), placeholderData: keepPreviousData });
  const numbers = Array.from({ length: range[1] - range[0] + 1 }, (_, index) => range[0] + index);
  const pages = useQueries({ queries: numbers.map((number) => pageOptions(query, number)) });
  const byNumber = useMemo(
    () => new Map(numbers.map((number, index) => [number, pages[index]?.data])),
    // Rebuilt when a page came, not at every rendering.
    [range, ...pages.map(({ data }) => data)],
  );
  const at = useCallback(
    (index: number) => {
      const number = Math.floor(index / pageSize);
      const page = byNumber.get(number) ?? (number === 0 ? first.data : undefined);
      return page?.items[index % pageSize];
    },
    [byNumber, first.data],
  );
  const show = useCallback((from: number, to: number) => {
    const next: [number, number] = [Math.floor(from / pageSize), Math.floor(Math.max(from, to) / pageSize)];
    setRange((now) => (now[0] === next[0] && now[1] === next[1] ? now : next));
  }, []);
  const between = useCallback(
    async (from: number, to: number): Promise<ObjectDetails[]> => {
      const found: ObjectDetails[] = [];
      for (let number = Math.floor(from / pageSize); number <= Math.floor(to / pageSize); number += 1) {
        const { items } = await queries.fetchQuery({ ...pageOptions(query, number), staleTime: 60_000 });
        const start = number * pageSize;
        found.push(...items.slice(Math.max(0, from - start), to - start + 1));
      }
      return found;
    },
    [queries, query],
  );
  const failed = pages.find(({ isError }) => isError);
  return {
    total: first.data ? totalOf(first.data, [...byNumber]) : null,
    isCounted: first.data?.total !== null,
    between,
    at,
    show,
    error: first.isError ? first.error : (failed?.error ?? null),
    failure: first.failureReason,
    retry: () =>
      void queries.refetchQueries({
        queryKey: ['objects', query],
        predicate: ({ state }) => state.status === 'error',
      }),
  };
}

function pageOptions(query: ReturnType<typeof listQuery>, number: number) {
  return {
    queryKey: ['objects', query, number],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      tintype.list({ ...query, page: number + 1, page_size: pageSize, signal }),
    // Films that are being processed change by themselves.
    refetchInterval: ({ state }: { state: { data?: Listing | undefined } }) =>
      state.data?.items.some(({ status }) => status === 'queued' || status === 'processing')
        ? refreshMs
        : false,
  } as const;
}

/** Where the service does not count: as far as is known, and a page more. */
function totalOf(first: Listing, pages: readonly (readonly [number, Listing | undefined])[]): number {
  if (first.total !== null) return first.total;
  const ends = [[0, first] as const, ...pages].map(([number, page]) => {
    if (!page) return 0;
    return number * pageSize + (page.isLast ? page.items.length : 2 * pageSize);
  });
  return Math.max(...ends);
}
