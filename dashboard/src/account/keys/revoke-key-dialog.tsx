// Before a key stops working for good.
import { useMutation } from '@tanstack/react-query';
import type { Key } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { AskDialog } from '../../parts/ask-dialog.tsx';

type RevokeKeyDialogProps = {
  readonly revoked: Key;
  readonly isOwn: boolean;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
};

export function RevokeKeyDialog({ revoked: key, isOwn, onRevoked, onClose }: RevokeKeyDialogProps) {
  const revoke = useMutation({
    mutationFn: () => tintype.keys.revoke(key.key_id),
    onSuccess: onRevoked,
  });
  return (
    <AskDialog
      title={`Revoke “${key.name}”?`}
      confirm="Revoke the key"
      cancel="Keep it"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>
        This acts at once: whatever uses the key is refused from then on, and a revoked key does not come
        back.
      </p>
      {isOwn && (
        <p>
          <strong>You are signed in with this very key.</strong> You will be signed out, and need another key
          to come back.
        </p>
      )}
    </AskDialog>
  );
}
