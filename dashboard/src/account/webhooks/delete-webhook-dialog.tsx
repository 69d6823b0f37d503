// Before a webhook is told no more.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Webhook } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { AskDialog } from '../../parts/ask-dialog.tsx';

type DeleteWebhookDialogProps = {
  readonly webhook: Webhook;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
};

export function DeleteWebhookDialog({ webhook, onDeleted, onClose }: DeleteWebhookDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => {
      // The one that stands in the account's settings goes by these.
      if (webhook.source === 'settings') await tintype.account.change({ webhook_url: null });
      else await tintype.webhooks.delete(webhook.webhook_id);
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['account'] });
      onDeleted();
    },
  });
  return (
    <AskDialog
      title="Delete this webhook?"
      confirm="Delete the webhook"
      cancel="Keep it"
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        <code>{webhook.url}</code>
      </p>
      <p>It is told no more, what still waits for it is dropped, and its log of deliveries goes with it.</p>
    </AskDialog>
  );
}
