// The webhooks of the account.
import { useQuery } from '@tanstack/react-query';
import { tintype } from '../../api.ts';

export function useWebhooks() {
  return useQuery({ queryKey: ['webhooks'], queryFn: ({ signal }) => tintype.webhooks.list({ signal }) });
}
