// A new webhook: where messages go, and about what.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { NewWebhook } from '../../../../client/src/index.ts';
import { isRefusal } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { AskDialog } from '../../parts/ask-dialog.tsx';
import { AnyOf } from '../../parts/choices.tsx';
import { refusedField } from '../../parts/refused-field.ts';
import { sentence } from '../../parts/sentence.ts';
import { eventOptions, type EventType, standardEvents } from './event-options.ts';
import { WebhookAddressField } from './webhook-address-field.tsx';

type CreateWebhookDialogProps = {
  readonly onMade: (webhook: NewWebhook) => void;
  readonly onClose: () => void;
};

export function CreateWebhookDialog({ onMade, onClose }: CreateWebhookDialogProps) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly EventType[]>(standardEvents);
  const create = useMutation({
    mutationFn: () => tintype.webhooks.create({ url: url.trim(), events }),
    onSuccess: onMade,
  });
  const refused = refusedPart(create.error);
  return (
    <AskDialog
      title="Create a webhook"
      confirm="Create the webhook"
      isPending={create.isPending}
      error={refused === null ? create.error : null}
      onConfirm={() => create.mutate()}
      onClose={onClose}
    >
      <WebhookAddressField
        label="Address"
        address={url}
        onChange={setUrl}
        error={refused === 'url' ? sentence(create.error) : null}
      />
      <AnyOf
        legend="Events"
        options={eventOptions}
        chosen={events}
        onChange={setEvents}
        error={refused === 'events' ? sentence(create.error) : null}
      />
    </AskDialog>
  );
}

/** An address that is not allowed is told without the name of its field. */
function refusedPart(error: unknown): string | null {
  if (isRefusal(error, 'bad_request') && error.message.startsWith('The address')) return 'url';
  return refusedField(error);
}
