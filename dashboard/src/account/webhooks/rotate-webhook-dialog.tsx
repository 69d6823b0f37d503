// A new secret for a webhook.
import { useMutation } from '@tanstack/react-query';
import type { NewWebhook, Webhook } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { AskDialog } from '../../parts/ask-dialog.tsx';

type RotateWebhookDialogProps = {
  readonly webhook: Webhook;
  readonly onRotated: (webhook: NewWebhook) => void;
  readonly onClose: () => void;
};

export function RotateWebhookDialog({ webhook, onRotated, onClose }: RotateWebhookDialogProps) {
  const rotate = useMutation({
    mutationFn: () => tintype.webhooks.rotate(webhook.webhook_id),
    onSuccess: onRotated,
  });
  return (
    <AskDialog
      title="Rotate the secret?"
      confirm="Rotate the secret"
      isPending={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      <p>
        <code>{webhook.url}</code>
      </p>
      <p>
        It gets a new secret. For 24 hours messages are signed with both, so that you can change the receiver
        in peace.
      </p>
    </AskDialog>
  );
}
