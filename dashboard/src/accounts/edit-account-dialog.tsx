// The tier and limits of an account, and whether it may be used.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccountRecord } from '../../../client/src/index.ts';
import { tintype } from '../api.ts';
import { AskDialog } from '../parts/ask-dialog.tsx';
import { type Option, OneOf } from '../parts/choices.tsx';
import { refusedField } from '../parts/refused-field.ts';
import { sentence } from '../parts/sentence.ts';
import { draftsOf, limitsOf } from './limit-draft.ts';
import { LimitFields } from './limit-fields.tsx';
import { TierField } from './tier-field.tsx';

type EditAccountDialogProps = {
  readonly account: AccountRecord;
  /** Nobody can lock themselves out. */
  readonly isOwn: boolean;
  readonly onChanged: () => void;
  readonly onClose: () => void;
};

const states: readonly Option<'on' | 'off'>[] = [
  { value: 'on', label: 'Enabled' },
  {
    value: 'off',
    label: 'Disabled',
    hint: 'Its keys are refused and its addresses answer 404. Nothing is lost.',
  },
];

export function EditAccountDialog({ account, isOwn, onChanged, onClose }: EditAccountDialogProps) {
  const [tier, setTier] = useState(account.tier);
  const [limits, setLimits] = useState(() => draftsOf('keep'));
  const [isEnabled, setIsEnabled] = useState(account.enabled);
  const change = useMutation({
    mutationFn: () =>
      tintype.accounts.change(account.account_id, {
        ...limitsOf(limits),
        ...(tier === account.tier ? {} : { tier }),
        ...(isEnabled === account.enabled ? {} : { enabled: isEnabled }),
      }),
    onSuccess: onChanged,
  });
  const refused = refusedField(change.error);
  const why = (field: string): string | null => (refused === field ? sentence(change.error) : null);
  return (
    <AskDialog
      title={account.email}
      confirm="Save"
      isPending={change.isPending}
      error={refused === null ? change.error : null}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <TierField tier={tier} onChange={setTier} />
      <LimitFields drafts={limits} onChange={setLimits} account={account} why={why} />
      {!isOwn && (
        <OneOf
          legend="State"
          options={states}
          chosen={isEnabled ? 'on' : 'off'}
          onChange={(state) => setIsEnabled(state === 'on')}
        />
      )}
    </AskDialog>
  );
}
