// Before an account is deleted: when what is lost.
import { useMutation } from '@tanstack/react-query';
import type { AccountRecord } from '../../../client/src/index.ts';
import { tintype } from '../api.ts';
import { AskDialog } from '../parts/ask-dialog.tsx';
import { count, kilobytes } from '../parts/units.ts';

type DeleteAccountDialogProps = {
  readonly account: AccountRecord;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
};

export function DeleteAccountDialog({ account, onDeleted, onClose }: DeleteAccountDialogProps) {
  const remove = useMutation({
    mutationFn: () => tintype.accounts.delete(account.account_id),
    onSuccess: onDeleted,
  });
  return (
    <AskDialog
      title={`Delete ${account.email}?`}
      confirm="Delete the account"
      cancel="Keep it"
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        It is disabled at once: its keys are refused and its addresses answer 404. After 7 days it is erased
        with {count(account.object_count, 'object')}, {kilobytes(account.storage_used)}. Until then you can
        undo this here.
      </p>
    </AskDialog>
  );
}
