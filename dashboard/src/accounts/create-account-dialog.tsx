// A new account.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { NewAccount } from '../../../client/src/index.ts';
import { tintype } from '../api.ts';
import { AskDialog } from '../parts/ask-dialog.tsx';
import { Field } from '../parts/field.tsx';
import { refusedField } from '../parts/refused-field.ts';
import { sentence } from '../parts/sentence.ts';
import { draftsOf, limitsOf } from './limit-draft.ts';
import { LimitFields } from './limit-fields.tsx';
import { type Tier, TierField } from './tier-field.tsx';

type CreateAccountDialogProps = {
  readonly onMade: (account: NewAccount) => void;
  readonly onClose: () => void;
};

export function CreateAccountDialog({ onMade, onClose }: CreateAccountDialogProps) {
  const [email, setEmail] = useState('');
  const [tier, setTier] = useState<Tier>('free');
  const [limits, setLimits] = useState(() => draftsOf('tier'));
  const create = useMutation({
    mutationFn: () => tintype.accounts.create({ email: email.trim(), tier, ...limitsOf(limits) }),
    onSuccess: onMade,
  });
  const refused = refusedField(create.error);
  const why = (field: string): string | null => (refused === field ? sentence(create.error) : null);
  return (
    <AskDialog
      title="Create an account"
      confirm="Create the account"
      isPending={create.isPending}
      error={refused === null ? create.error : null}
      onConfirm={() => create.mutate()}
      onClose={onClose}
    >
      <Field label="E-mail address" error={why('email')}>
        {(control) => (
          <input
            {...control}
            inputMode="email"
            autoComplete="off"
            required
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        )}
      </Field>
      <TierField tier={tier} onChange={setTier} />
      <LimitFields drafts={limits} onChange={setLimits} why={why} />
    </AskDialog>
  );
}
