// The one address that stands in the account's settings: set, changed, and cleared like a webhook is deleted.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNotices } from '../../parts/notices.tsx';
import { sentence } from '../../parts/sentence.ts';
import { useChangeAccount } from '../use-account.ts';
import { useWebhooks } from './use-webhooks.ts';
import { WebhookAddressField } from './webhook-address-field.tsx';
import type { WebhookQuestion } from './webhook-dialogs.tsx';

export function SettingsAddressForm({ onAsk }: { onAsk: (asked: WebhookQuestion) => void }) {
  const [draft, setDraft] = useState<string | null>(null);
  const webhooks = useWebhooks();
  const queries = useQueryClient();
  const notices = useNotices();
  const change = useChangeAccount();
  if (!webhooks.data) return null;
  const saved = webhooks.data.find(({ source }) => source === 'settings');
  const address = draft ?? saved?.url ?? '';
  const url = address.trim();
  // Saved again, one that was switched off is on again.
  const isWorthSaving = url !== '' && (url !== saved?.url || !saved.enabled);
  const save = (): void =>
    change.mutate(
      { webhook_url: url },
      {
        onSuccess: ({ webhook_secret: secret }) => {
          notices.done('The address in the settings is saved.');
          if (secret !== undefined) onAsk({ what: 'keep', made: { url, secret } });
          void queries.invalidateQueries({ queryKey: ['webhooks'] }).then(() => setDraft(null));
        },
      },
    );
  return (
    <form
      className="card"
      aria-labelledby="settings-address"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h2 id="settings-address">The address in the settings</h2>
      <p className="muted">
        For applications that know one address only: it is told of <span className="mono">video.ready</span>{' '}
        and <span className="mono">video.failed</span>, and listed above with the others.
      </p>
      <WebhookAddressField
        label="Address in the settings"
        address={address}
        onChange={setDraft}
        error={change.error && sentence(change.error)}
      />
      <div className="row">
        <button type="submit" disabled={change.isPending || !isWorthSaving}>
          {change.isPending ? 'Saving …' : 'Save the address'}
        </button>
        {saved && (
          <button type="button" onClick={() => onAsk({ what: 'delete', webhook: saved })}>
            Clear the address …
          </button>
        )}
      </div>
    </form>
  );
}
