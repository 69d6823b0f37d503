// A new key: what it is called, what it may do, and until when.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { NewKey } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { AskDialog } from '../../parts/ask-dialog.tsx';
import { AnyOf } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { refusedField } from '../../parts/refused-field.ts';
import { sentence } from '../../parts/sentence.ts';
import type { Scope } from '../allows.ts';
import { type Expiry, expiresAt } from './key-expiry.ts';
import { scopeOptions } from './scope-options.ts';

type CreateKeyDialogProps = {
  readonly isOperator: boolean;
  readonly onMade: (key: NewKey) => void;
  readonly onClose: () => void;
};

export function CreateKeyDialog({ isOperator, onMade, onClose }: CreateKeyDialogProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read', 'write']);
  const [expiry, setExpiry] = useState<Expiry>('never');
  const [date, setDate] = useState('');
  const create = useMutation({
    mutationFn: () => tintype.keys.create({ name, scopes, expires_at: expiresAt(expiry, date) }),
    onSuccess: onMade,
  });
  const refused = refusedField(create.error);
  const why = (field: string): string | null => (refused === field ? sentence(create.error) : null);
  return (
    <AskDialog
      title="Create a key"
      confirm="Create the key"
      isPending={create.isPending}
      error={refused === null ? create.error : null}
      onConfirm={() => create.mutate()}
      onClose={onClose}
    >
      <Field label="Name" hint="What it is for, such as “website”." error={why('name')}>
        {(control) => (
          <input {...control} value={name} required onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      <AnyOf
        legend="Scopes"
        options={scopeOptions(isOperator)}
        chosen={scopes}
        onChange={setScopes}
        error={why('scopes')}
      />
      <Field label="Expires" error={expiry === 'date' ? null : why('expires_at')}>
        {(control) => (
          <select {...control} value={expiry} onChange={({ target }) => setExpiry(target.value as Expiry)}>
            <option value="never">Never</option>
            <option value="30">In 30 days</option>
            <option value="90">In 90 days</option>
            <option value="date">At the end of a date …</option>
          </select>
        )}
      </Field>
      {expiry === 'date' && (
        <Field label="Last day" error={why('expires_at')}>
          {(control) => (
            <input
              {...control}
              type="date"
              required
              value={date}
              onChange={({ target }) => setDate(target.value)}
            />
          )}
        </Field>
      )}
    </AskDialog>
  );
}
