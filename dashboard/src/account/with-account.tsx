// A section that shows something of the account: what stands there until it has come, or when it may not.
import type { ReactNode } from 'react';
import type { Account } from '../../../client/src/index.ts';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { allows } from './allows.ts';
import { MissingScope } from './missing-scope.tsx';
import { useAccount } from './use-account.ts';

type WithAccountProps = {
  readonly scopes: readonly string[];
  readonly children: (account: Account) => ReactNode;
};

export function WithAccount({ scopes, children }: WithAccountProps) {
  if (!allows(scopes, 'read')) return <MissingScope scope="read" needed="to look at the account" />;
  return <LoadedAccount>{children}</LoadedAccount>;
}

function LoadedAccount({ children }: Pick<WithAccountProps, 'children'>) {
  const account = useAccount();
  if (account.data) return children(account.data);
  if (account.isError) return <Failure error={account.error} retry={() => void account.refetch()} />;
  return <Loading what="the account" error={account.failureReason} />;
}
