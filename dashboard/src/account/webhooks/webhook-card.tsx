// One webhook: where it is, what it is told of, whether it answers, and what became of its messages.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { Refusal } from '../../parts/refusal.tsx';
import { dateAndTime } from '../../parts/units.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { outcomeOf } from './outcome-of.ts';
import type { WebhookQuestion } from './webhook-dialogs.tsx';

type WebhookCardProps = {
  readonly webhook: Webhook;
  readonly onAsk: (asked: WebhookQuestion) => void;
};

export function WebhookCard({ webhook, onAsk }: WebhookCardProps) {
  const [isLogOpen, setIsLogOpen] = useState(false);
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => tintype.webhooks.test(webhook.webhook_id),
    // An answer of 410 switches it off.
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
      void queries.invalidateQueries({ queryKey: ['deliveries', webhook.webhook_id] });
    },
  });
  return (
    <article className="webhook" aria-label={webhook.url}>
      <h3 className="mono">{webhook.url}</h3>
      <WebhookFacts webhook={webhook} />
      <div className="row">
        <button
          type="button"
          className="small"
          disabled={test.isPending || !webhook.enabled}
          onClick={() => test.mutate()}
        >
          {test.isPending ? 'Sending …' : 'Send a test'}
        </button>
        <button type="button" className="small" onClick={() => onAsk({ what: 'rotate', webhook })}>
          Rotate the secret …
        </button>
        <button type="button" className="small" onClick={() => onAsk({ what: 'delete', webhook })}>
          Delete …
        </button>
        <button
          type="button"
          className="small"
          aria-expanded={isLogOpen}
          onClick={() => setIsLogOpen(!isLogOpen)}
        >
          {isLogOpen ? 'Hide the deliveries' : 'Show the deliveries'}
        </button>
      </div>
      <p role="status" className={test.data && test.data.state !== 'delivered' ? 'fault' : undefined}>
        {test.data && `Test: ${outcomeOf(test.data)}`}
      </p>
      <Refusal error={test.error} />
      {isLogOpen && <DeliveryLog webhook={webhook} />}
    </article>
  );
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  return (
    <>
      <p className="muted">
        {webhook.source === 'settings' && 'The address in the account’s settings. '}
        Told of <span className="mono">{webhook.events.join(', ')}</span> since{' '}
        {dateAndTime(webhook.created_at)}.
      </p>
      {!webhook.enabled && (
        <p className="fault">
          Switched off{webhook.disabled_reason ? `: ${webhook.disabled_reason}` : ''}.{' '}
          {webhook.source === 'settings'
            ? 'Save its address again to switch it on.'
            : 'Create a new one in its place.'}
        </p>
      )}
    </>
  );
}
