// The deliveries of a webhook, newest first, page by page.
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Webhook } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { DeliveryEntry } from './delivery-entry.tsx';

const pageSize = 20;
const refreshMs = 4000;

export function DeliveryLog({ webhook }: { webhook: Webhook }) {
  const { webhook_id: id } = webhook;
  const log = useInfiniteQuery({
    queryKey: ['deliveries', id],
    queryFn: ({ pageParam, signal }) =>
      tintype.webhooks.deliveries(id, {
        limit: pageSize,
        signal,
        ...(pageParam === null ? {} : { cursor: pageParam }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // What waits changes by itself.
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ deliveries }) => deliveries.some((each) => each.state === 'waiting'))
        ? refreshMs
        : false,
  });
  if (!log.data && log.isError) return <Failure error={log.error} retry={() => void log.refetch()} />;
  if (!log.data) return <Loading what="the deliveries" error={log.failureReason} />;
  const deliveries = log.data.pages.flatMap((page) => page.deliveries);
  if (deliveries.length === 0)
    return <p>No deliveries in the last 30 days: send a test to see what one looks like.</p>;
  return (
    <div className="stack">
      <ul className="deliveries" aria-label="Deliveries, newest first">
        {deliveries.map((delivery) => (
          <li key={delivery.delivery_id}>
            <DeliveryEntry delivery={delivery} webhook={webhook} />
          </li>
        ))}
      </ul>
      {log.hasNextPage && (
        <div>
          <button
            type="button"
            className="small"
            disabled={log.isFetchingNextPage}
            onClick={() => void log.fetchNextPage()}
          >
            {log.isFetchingNextPage ? 'Loading …' : 'Load more'}
          </button>
        </div>
      )}
    </div>
  );
}
