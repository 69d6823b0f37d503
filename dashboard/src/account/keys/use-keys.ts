// The keys of the account, and which of them this session was begun with.
import { useQuery } from '@tanstack/react-query';
import { tintype } from '../../api.ts';

export function useKeys() {
  return useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => tintype.keys.list({ signal }) });
}

export function useOwnKeyId(): string | undefined {
  return useQuery({
    queryKey: ['session'],
    queryFn: () => tintype.session.get(),
    staleTime: Infinity,
  }).data?.key_id;
}
