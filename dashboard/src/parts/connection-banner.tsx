// Says so while the service does not answer, and goes when it does again.
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { isPassing } from '../query-client.ts';

export function ConnectionBanner() {
  const cache = useQueryClient().getQueryCache();
  const isAway = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () =>
      cache
        .getAll()
        .some(({ state }) => state.fetchStatus === 'fetching' && isPassing(state.fetchFailureReason)),
  );
  if (!isAway) return null;
  return (
    <p className="banner" role="status">
      The service does not answer at present. Trying again …
    </p>
  );
}
