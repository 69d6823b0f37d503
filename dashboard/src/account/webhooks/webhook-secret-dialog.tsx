// The secret that receivers check signatures with.
import type { NewWebhook } from '../../../../client/src/index.ts';
import { SecretDialog } from '../../parts/secret-dialog.tsx';

type WebhookSecretDialogProps = { readonly made: NewWebhook; readonly onClose: () => void };

export function WebhookSecretDialog({ made, onClose }: WebhookSecretDialogProps) {
  return (
    <SecretDialog title="The secret of the webhook" secret={made.secret} onClose={onClose}>
      <p>
        <code>{made.url}</code> checks with it that a message came from here.
      </p>
    </SecretDialog>
  );
}
