// Which transformations a stranger may ask for.
import { useState } from 'react';
import type { Account } from '../../../../client/src/index.ts';
import { type Option, OneOf } from '../../parts/choices.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { sentence } from '../../parts/sentence.ts';
import { useChangeAccount } from '../use-account.ts';

type Policy = Account['transform_policy'];

const options: readonly Option<Policy>[] = [
  { value: 'open', label: 'Open', hint: 'Anybody who knows the address of an object may ask for any size.' },
  {
    value: 'presets',
    label: 'Presets only',
    hint: 'Only originals, the thumbnail of listings, your presets, and what an application of yours made before.',
  },
  {
    value: 'signed',
    label: 'Signed addresses',
    hint: 'Only addresses that your application has signed; the original and the thumbnail of listings stay open.',
  },
];

export function PolicyForm({ account }: { account: Account }) {
  const [policy, setPolicy] = useState(account.transform_policy);
  const [secret, setSecret] = useState<string | null>(null);
  const change = useChangeAccount();
  const notices = useNotices();
  const save = (): void =>
    change.mutate(
      { transform_policy: policy },
      {
        onSuccess: ({ signing_secret: made = null }) => {
          setSecret(made);
          notices.done('The policy is saved.');
        },
      },
    );
  return (
    <form
      className="card"
      aria-labelledby="policy"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h2 id="policy">Who may transform</h2>
      <OneOf
        legend="Transformations by address"
        options={options}
        chosen={policy}
        onChange={setPolicy}
        error={change.error && sentence(change.error)}
      />
      <div>
        <button type="submit" disabled={change.isPending || policy === account.transform_policy}>
          {change.isPending ? 'Saving …' : 'Save the policy'}
        </button>
      </div>
      {secret !== null && (
        <SecretDialog title="The signing secret" secret={secret} onClose={() => setSecret(null)}>
          <p>Your application signs addresses with it.</p>
        </SecretDialog>
      )}
    </form>
  );
}
