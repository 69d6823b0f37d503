// One delivery: a line that opens to all that is known of it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Delivery, Webhook } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { Facts } from '../../parts/facts.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { dateAndTime } from '../../parts/units.ts';

type DeliveryEntryProps = { readonly delivery: Delivery; readonly webhook: Webhook };

export function DeliveryEntry({ delivery, webhook }: DeliveryEntryProps) {
  const { delivery_id: id, type, state, status, created_at: at } = delivery;
  const queries = useQueryClient();
  const resend = useMutation({
    mutationFn: () => tintype.webhooks.resend(webhook.webhook_id, id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['deliveries', webhook.webhook_id] }),
  });
  return (
    <details className="delivery">
      <summary>
        <span className={state === 'failed' ? 'fault' : undefined}>{state}</span>
        <code>{type}</code>
        <span className="muted">{status ?? 'no answer'}</span>
        <span className="muted">{dateAndTime(at)}</span>
      </summary>
      <div className="stack">
        <DeliveryFacts delivery={delivery} />
        <pre tabIndex={0} aria-label="What is sent">
          {JSON.stringify(delivery.payload, null, 2)}
        </pre>
        <Refusal error={resend.error} />
        <div>
          <button
            type="button"
            className="small"
            disabled={resend.isPending || !webhook.enabled}
            onClick={() => resend.mutate()}
          >
            Send it again
          </button>
        </div>
      </div>
    </details>
  );
}

function DeliveryFacts({ delivery }: { delivery: Delivery }) {
  const { attempts, status, error, duration_ms: ms, next_attempt_at: next, delivered_at: at } = delivery;
  return (
    <Facts
      facts={[
        ['Id', <code key="id">{delivery.delivery_id}</code>],
        ['Attempts', attempts],
        ['Status', status ?? 'no answer'],
        ['Error', error],
        ['Duration', ms === null ? null : `${ms.toLocaleString('en')} ms`],
        ['Delivered', at === null ? null : dateAndTime(at)],
        ['Next attempt', next === null ? null : dateAndTime(next)],
      ]}
    />
  );
}
