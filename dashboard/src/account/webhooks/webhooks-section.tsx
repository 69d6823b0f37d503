// Who is told of what happens in the account.
import { useState } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { allows } from '../allows.ts';
import { MissingScope } from '../missing-scope.tsx';
import { EventList } from './event-list.tsx';
import { SettingsAddressForm } from './settings-address-form.tsx';
import { useWebhooks } from './use-webhooks.ts';
import { WebhookCard } from './webhook-card.tsx';
import { WebhookDialogs, type WebhookQuestion } from './webhook-dialogs.tsx';

export function WebhooksSection({ scopes }: { scopes: readonly string[] }) {
  const [asked, setAsked] = useState<WebhookQuestion | null>(null);
  const isAllowed = allows(scopes, 'account');
  return (
    <>
      <section className="card" aria-labelledby="webhooks">
        <div className="row spread">
          <h2 id="webhooks">Webhooks</h2>
          {isAllowed && (
            <button type="button" className="primary" onClick={() => setAsked({ what: 'create' })}>
              Create a webhook
            </button>
          )}
        </div>
        <p className="muted">
          An address of yours that gets a signed message when something happens here. A message that is not
          taken is sent again, later each time, for about three days.
        </p>
        {isAllowed ? (
          <Webhooks onAsk={setAsked} />
        ) : (
          <MissingScope scope="account" needed="to see and change webhooks" />
        )}
      </section>
      {isAllowed && <SettingsAddressForm onAsk={setAsked} />}
      <EventList />
      {asked && <WebhookDialogs asked={asked} onAsk={setAsked} />}
    </>
  );
}

function Webhooks({ onAsk }: { onAsk: (asked: WebhookQuestion) => void }) {
  const webhooks = useWebhooks();
  if (!webhooks.data && webhooks.isError)
    return <Failure error={webhooks.error} retry={() => void webhooks.refetch()} />;
  if (!webhooks.data) return <Loading what="the webhooks" error={webhooks.failureReason} />;
  if (webhooks.data.length === 0)
    return <p>No webhooks yet: create one, and your application need not ask whether a film is ready.</p>;
  return (
    <ul className="webhooks">
      {webhooks.data.map((webhook) => (
        <li key={webhook.webhook_id}>
          <WebhookCard webhook={webhook} onAsk={onAsk} />
        </li>
      ))}
    </ul>
  );
}
