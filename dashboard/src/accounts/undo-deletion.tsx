// Takes back the deletion of an account, as long as it is not erased.
import { useMutation } from '@tanstack/react-query';
import type { AccountRecord } from '../../../client/src/index.ts';
import { tintype } from '../api.ts';
import { useNotices } from '../parts/notices.tsx';

type UndoDeletionProps = { readonly account: AccountRecord; readonly onUndone: () => void };

export function UndoDeletion({ account, onUndone }: UndoDeletionProps) {
  const notices = useNotices();
  const undo = useMutation({
    mutationFn: () => tintype.accounts.change(account.account_id, { enabled: true }),
    onSuccess: () => {
      notices.done(`${account.email} is back.`);
      onUndone();
    },
    onError: (error) => notices.failed(error),
  });
  return (
    <button
      type="button"
      className="small"
      aria-label={`Undo the deletion of ${account.email}`}
      disabled={undo.isPending}
      onClick={() => undo.mutate()}
    >
      Undo the deletion
    </button>
  );
}
