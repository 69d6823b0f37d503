// What an address shows, asked for a moment after the last change: the bytes, so that their number is known too.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { TintypeError } from '../../../../client/src/index.ts';

export type Rendered = { readonly blob: Blob; readonly type: string };

const settleMs = 300;

export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export function useRendered(address: string) {
  return useQuery({
    queryKey: ['rendered', address],
    queryFn: async ({ signal }): Promise<Rendered> => {
      // As an <img> asks, so that `auto` is what a page would get.
      const response = await fetch(address, { signal, headers: { Accept: 'image/avif,image/webp,image/*' } });
      if (!response.ok) throw await refusalOf(response);
      return { blob: await response.blob(), type: response.headers.get('content-type') ?? '' };
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 30_000,
  });
}

async function refusalOf(response: Response): Promise<TintypeError> {
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  return new TintypeError(error ?? `The service answered ${response.status}`, {
    status: response.status,
    code: 'unknown',
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: null,
  });
}
