// The dialogs of the webhooks: made, rotated, deleted.
import { useQueryClient } from '@tanstack/react-query';
import type { Webhook } from '../../../../client/src/index.ts';
import { useNotices } from '../../parts/notices.tsx';
import { CreateWebhookDialog } from './create-webhook-dialog.tsx';
import { DeleteWebhookDialog } from './delete-webhook-dialog.tsx';
import { RotateWebhookDialog } from './rotate-webhook-dialog.tsx';
import { type MadeSecret, WebhookSecretDialog } from './webhook-secret-dialog.tsx';

export type WebhookQuestion =
  | { readonly what: 'create' }
  | { readonly what: 'rotate' | 'delete'; readonly webhook: Webhook }
  | { readonly what: 'keep'; readonly made: MadeSecret };

type WebhookDialogsProps = {
  readonly asked: WebhookQuestion;
  readonly onAsk: (asked: WebhookQuestion | null) => void;
};

export function WebhookDialogs({ asked, onAsk }: WebhookDialogsProps) {
  const queries = useQueryClient();
  const notices = useNotices();
  const close = (): void => onAsk(null);
  const listAnew = (): void => void queries.invalidateQueries({ queryKey: ['webhooks'] });
  const keep = (made: MadeSecret): void => {
    onAsk({ what: 'keep', made });
    listAnew();
  };
  if (asked.what === 'create') return <CreateWebhookDialog onMade={keep} onClose={close} />;
  if (asked.what === 'keep') return <WebhookSecretDialog made={asked.made} onClose={close} />;
  if (asked.what === 'rotate')
    return <RotateWebhookDialog webhook={asked.webhook} onRotated={keep} onClose={close} />;
  const deleted = (): void => {
    notices.done('The webhook is deleted.');
    close();
    listAnew();
  };
  return <DeleteWebhookDialog webhook={asked.webhook} onDeleted={deleted} onClose={close} />;
}
