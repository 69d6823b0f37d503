// Who may have pictures transformed by address, and the transformations that have a name.
import { Changeable } from '../changeable.tsx';
import { WithAccount } from '../with-account.tsx';
import { PolicyForm } from './policy-form.tsx';
import { PresetsForm } from './presets-form.tsx';

export function TransformationsSection({ scopes }: { scopes: readonly string[] }) {
  return (
    <WithAccount scopes={scopes}>
      {(account) => (
        <Changeable scopes={scopes}>
          <PolicyForm account={account} />
          <PresetsForm account={account} />
        </Changeable>
      )}
    </WithAccount>
  );
}
