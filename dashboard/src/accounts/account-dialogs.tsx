// The dialogs of the accounts: made, changed, deleted.
import type { AccountRecord, NewAccount } from '../../../client/src/index.ts';
import { useNotices } from '../parts/notices.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { CreateAccountDialog } from './create-account-dialog.tsx';
import { DeleteAccountDialog } from './delete-account-dialog.tsx';
import { EditAccountDialog } from './edit-account-dialog.tsx';

export type AccountQuestion =
  | { readonly what: 'create' }
  | { readonly what: 'edit' | 'delete'; readonly account: AccountRecord }
  | { readonly what: 'keep'; readonly made: NewAccount };

type AccountDialogsProps = {
  readonly asked: AccountQuestion;
  readonly onAsk: (asked: AccountQuestion | null) => void;
  readonly ownId: string | undefined;
  readonly onChanged: () => void;
};

export function AccountDialogs({ asked, onAsk, ownId, onChanged }: AccountDialogsProps) {
  const notices = useNotices();
  const close = (): void => onAsk(null);
  const done = (told: string): void => {
    notices.done(told);
    close();
    onChanged();
  };
  if (asked.what === 'create')
    return (
      <CreateAccountDialog
        onMade={(made) => {
          onAsk({ what: 'keep', made });
          onChanged();
        }}
        onClose={close}
      />
    );
  if (asked.what === 'keep')
    return (
      <SecretDialog title={`The key of ${asked.made.email}`} secret={asked.made.api_key} onClose={close}>
        <p>Its owner signs in with it, and can make more.</p>
      </SecretDialog>
    );
  const { account } = asked;
  if (asked.what === 'edit')
    return (
      <EditAccountDialog
        account={account}
        isOwn={account.account_id === ownId}
        onChanged={() => done(`${account.email} is changed.`)}
        onClose={close}
      />
    );
  return (
    <DeleteAccountDialog
      account={account}
      onDeleted={() => done(`${account.email} is deleted; this can be undone for 7 days.`)}
      onClose={close}
    />
  );
}
