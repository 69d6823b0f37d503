// Where messages about the account go.
import { useState } from 'react';
import type { Account } from '../../../../client/src/index.ts';
import { Field } from '../../parts/field.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { sentence } from '../../parts/sentence.ts';
import { useChangeAccount } from '../use-account.ts';

export function EmailForm({ account }: { account: Account }) {
  const [email, setEmail] = useState(account.email);
  const change = useChangeAccount();
  const notices = useNotices();
  const save = (): void =>
    change.mutate({ email: email.trim() }, { onSuccess: () => notices.done('The e-mail address is saved.') });
  return (
    <form
      className="card"
      aria-labelledby="email"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h2 id="email">E-mail</h2>
      <Field
        label="E-mail address"
        hint="A warning goes there when storage is nearly full, if this service has a mail server."
        error={change.error && sentence(change.error)}
      >
        {(control) => (
          <input
            {...control}
            inputMode="email"
            autoComplete="email"
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        )}
      </Field>
      <div>
        <button type="submit" disabled={change.isPending || email.trim() === account.email}>
          Save the address
        </button>
      </div>
    </form>
  );
}
