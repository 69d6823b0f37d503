// All accounts of the service, for those who run it.
import './accounts.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../account/use-account.ts';
import { tintype } from '../api.ts';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { useTitle } from '../parts/use-title.ts';
import { AccountDialogs, type AccountQuestion } from './account-dialogs.tsx';
import { AccountList } from './account-list.tsx';

export function AccountsPage() {
  useTitle('Accounts');
  const [asked, setAsked] = useState<AccountQuestion | null>(null);
  const queries = useQueryClient();
  const own = useAccount();
  const accounts = useQuery({
    queryKey: ['accounts'],
    queryFn: ({ signal }) => tintype.accounts.list({ signal }),
  });
  const listAnew = (): void => void queries.invalidateQueries({ queryKey: ['accounts'] });
  const ownId = own.data?.account_id;
  return (
    <div className="stack accounts">
      <div className="row spread">
        <h1>Accounts</h1>
        <button type="button" className="primary" onClick={() => setAsked({ what: 'create' })}>
          Create an account
        </button>
      </div>
      {accounts.data && (
        <AccountList accounts={accounts.data} ownId={ownId} onAsk={setAsked} onChanged={listAnew} />
      )}
      {!accounts.data && accounts.isError && (
        <Failure error={accounts.error} retry={() => void accounts.refetch()} />
      )}
      {!accounts.data && accounts.isPending && <Loading what="the accounts" error={accounts.failureReason} />}
      {asked && <AccountDialogs asked={asked} onAsk={setAsked} ownId={ownId} onChanged={listAnew} />}
    </div>
  );
}
