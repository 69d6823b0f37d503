// Which objects are shown, kept in the address of the page: it can be shared, and the way back leads to it.
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { paths } from '../paths.ts';

export type Filters = {
  readonly q: string;
  readonly tags: readonly string[];
  readonly folder: string | null;
  readonly type: 'image' | 'video' | null;
  /** Least similarity of what is found. */
  readonly threshold: number;
};

export const standardThreshold = 0.7;

export function useFilters(): [Filters, (change: Partial<Filters>) => void] {
  const [params, setParams] = useSearchParams();
  const filters = useMemo(() => readFilters(params), [params]);
  const change = (next: Partial<Filters>): void => {
    // While another page is loading this one is still there, unseen, and must not call its user back.
    if (location.pathname === paths.library) setParams(writeFilters({ ...filters, ...next }));
  };
  return [filters, change];
}

function readFilters(params: URLSearchParams): Filters {
  const type = params.get('type');
  const threshold = Number(params.get('threshold') ?? standardThreshold);
  return {
    q: params.get('q') ?? '',
    tags: params.getAll('tag'),
    folder: params.get('folder'),
    type: type === 'image' || type === 'video' ? type : null,
    threshold: threshold >= 0 && threshold <= 1 ? threshold : standardThreshold,
  };
}

function writeFilters({ q, tags, folder, type, threshold }: Filters): URLSearchParams {
  const params = new URLSearchParams();
  if (q) params.set('q', q);
  for (const tag of tags) params.append('tag', tag);
  if (folder) params.set('folder', folder);
  if (type) params.set('type', type);
  if (threshold !== standardThreshold) params.set('threshold', String(threshold));
  return params;
}

/** As the API takes them. */
export function listQuery({ tags, folder, type }: Filters) {
  return {
    ...(tags.length > 0 ? { tags } : {}),
    ...(folder === null ? {} : { folder }),
    ...(type === null ? {} : { type }),
  };
}
