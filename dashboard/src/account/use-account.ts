// The account of this session, and changes to it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Account } from '../../../client/src/index.ts';
import { tintype } from '../api.ts';

export type AccountChange = Parameters<typeof tintype.account.change>[0];

export function useAccount() {
  return useQuery({ queryKey: ['account'], queryFn: ({ signal }) => tintype.account.get({ signal }) });
}

export function useChangeAccount() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: AccountChange) => tintype.account.change(change),
    // Secrets that were just made are for whoever asked, not to be kept.
    onSuccess: ({ webhook_secret: _webhook, signing_secret: _signing, ...account }) =>
      queries.setQueryData<Account>(['account'], account),
  });
}
