// Settings that can be looked at with any key, and changed with one of the scope `account`.
import type { ReactNode } from 'react';
import { allows } from './allows.ts';
import { MissingScope } from './missing-scope.tsx';

type ChangeableProps = { readonly scopes: readonly string[]; readonly children: ReactNode };

export function Changeable({ scopes, children }: ChangeableProps) {
  const isAllowed = allows(scopes, 'account');
  return (
    <>
      {!isAllowed && <MissingScope scope="account" needed="to change settings" />}
      <fieldset className="changeable" disabled={!isAllowed}>
        {children}
      </fieldset>
    </>
  );
}
