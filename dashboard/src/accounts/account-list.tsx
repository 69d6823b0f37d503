// The accounts that pass the filter; as many at once as a page can bear.
import { useState } from 'react';
import type { AccountRecord } from '../../../client/src/index.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Field } from '../parts/field.tsx';
import { count } from '../parts/units.ts';
import { accountColumns } from './account-columns.tsx';
import type { AccountQuestion } from './account-dialogs.tsx';
import { UndoDeletion } from './undo-deletion.tsx';

type AccountListProps = {
  readonly accounts: readonly AccountRecord[];
  readonly ownId: string | undefined;
  readonly onAsk: (asked: AccountQuestion) => void;
  readonly onChanged: () => void;
};

const step = 100;

export function AccountList({ accounts, ownId, onAsk, onChanged }: AccountListProps) {
  const [filter, setFilter] = useState('');
  const [shown, setShown] = useState(step);
  const words = filter.trim().toLowerCase();
  const passing = accounts.filter(({ email }) => email.toLowerCase().includes(words));
  return (
    <>
      <Field label="Filter by e-mail">
        {(control) => (
          <input
            {...control}
            type="search"
            value={filter}
            onChange={({ target }) => setFilter(target.value)}
          />
        )}
      </Field>
      <p className="muted" role="status">
        {words === '' ? count(accounts.length, 'account') : `${count(passing.length, 'account')} found`}
      </p>
      {passing.length > 0 && (
        <div className="card">
          <DataTable
            caption="Accounts"
            columns={accountColumns(ownId)}
            rows={passing.slice(0, shown)}
            keyOf={({ account_id: id }) => id}
            actions={(account) => (
              <AccountActions
                account={account}
                isOwn={account.account_id === ownId}
                onAsk={onAsk}
                onChanged={onChanged}
              />
            )}
          />
        </div>
      )}
      {passing.length > shown && (
        <div>
          <button type="button" onClick={() => setShown(shown + step)}>
            Show more
          </button>
        </div>
      )}
    </>
  );
}

type AccountActionsProps = Pick<AccountListProps, 'onAsk' | 'onChanged'> & {
  readonly account: AccountRecord;
  readonly isOwn: boolean;
};

function AccountActions({ account, isOwn, onAsk, onChanged }: AccountActionsProps) {
  if (account.erase_at !== null) return <UndoDeletion account={account} onUndone={onChanged} />;
  return (
    <>
      <button
        type="button"
        className="small"
        aria-label={`Edit ${account.email}`}
        onClick={() => onAsk({ what: 'edit', account })}
      >
        Edit …
      </button>
      {!isOwn && (
        <button
          type="button"
          className="small"
          aria-label={`Delete ${account.email}`}
          onClick={() => onAsk({ what: 'delete', account })}
        >
          Delete …
        </button>
      )}
    </>
  );
}
