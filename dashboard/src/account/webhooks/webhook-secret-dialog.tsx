// The secret that receivers check signatures with.
import type { NewWebhook } from '../../../../client/src/index.ts';
import { SecretDialog } from '../../parts/secret-dialog.tsx';

export type MadeSecret = Pick<NewWebhook, 'url' | 'secret'>;

type WebhookSecretDialogProps = { readonly made: MadeSecret; readonly onClose: () => void };

export function WebhookSecretDialog({ made, onClose }: WebhookSecretDialogProps) {
  return (
    <SecretDialog title="The secret of the webhook" secret={made.secret} onClose={onClose}>
      <p>
        <code>{made.url}</code> checks with it that a message came from here.
      </p>
    </SecretDialog>
  );
}
