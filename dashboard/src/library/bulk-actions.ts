// What can be done to many objects at once, a thousand at a time.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tintype } from '../api.ts';

const atOnce = 1000;

export type BulkWork =
  | { readonly action: 'delete'; readonly ids: readonly string[] }
  | { readonly action: 'tag' | 'untag'; readonly ids: readonly string[]; readonly tags: readonly string[] };
export type BulkOutcome = { readonly done: number; readonly refused: readonly string[] };

export function useBulk() {
  const queries = useQueryClient();
  const [progress, setProgress] = useState(0);
  const work = useMutation({
    mutationFn: async ({ ids, ...what }: BulkWork): Promise<BulkOutcome> => {
      const refused: string[] = [];
      for (let from = 0; from < ids.length; from += atOnce) {
        setProgress(from / ids.length);
        const objects = ids.slice(from, from + atOnce);
        const results = await tintype.bulk({ ...what, objects });
        for (const { status, error } of results) if (status === 'error') refused.push(error ?? '');
      }
      return { done: ids.length - refused.length, refused };
    },
    // Also when some were done before a fault.
    onSettled: () => {
      setProgress(0);
      for (const key of ['objects', 'search', 'tags', 'folders', 'account'])
        void queries.invalidateQueries({ queryKey: [key] });
    },
  });
  return { ...work, progress };
}
