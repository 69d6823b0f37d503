// The four limits of an account.
import type { AccountRecord } from '../../../client/src/index.ts';
import { Field } from '../parts/field.tsx';
import {
  type LimitDraft,
  type LimitDrafts,
  type LimitKind,
  limitInWords,
  limitKinds,
} from './limit-draft.ts';

type LimitFieldsProps = {
  readonly drafts: LimitDrafts;
  readonly onChange: (drafts: LimitDrafts) => void;
  /** None while it is being made. */
  readonly account?: AccountRecord;
  readonly why: (field: string) => string | null;
};

export function LimitFields({ drafts, onChange, account, why }: LimitFieldsProps) {
  return (
    <div className="limits">
      {limitKinds.map((kind) => (
        <LimitField
          key={kind.name}
          kind={kind}
          draft={drafts[kind.name]}
          now={account && limitInWords(kind, account)}
          error={why(kind.name)}
          onChange={(draft) => onChange({ ...drafts, [kind.name]: draft })}
        />
      ))}
    </div>
  );
}

type LimitFieldProps = {
  readonly kind: LimitKind;
  readonly draft: LimitDraft;
  readonly now: string | undefined;
  readonly error: string | null;
  readonly onChange: (draft: LimitDraft) => void;
};

function LimitField({ kind, draft, now, error, onChange }: LimitFieldProps) {
  const isOwn = draft.mode === 'own';
  return (
    <>
      <Field label={kind.label} error={isOwn ? null : error}>
        {(control) => (
          <select
            {...control}
            value={draft.mode}
            onChange={({ target }) => onChange({ ...draft, mode: target.value as LimitDraft['mode'] })}
          >
            {now !== undefined && <option value="keep">As it is: {now}</option>}
            <option value="tier">As the tier has it</option>
            <option value="own">Its own …</option>
          </select>
        )}
      </Field>
      {isOwn && (
        <Field label={`${kind.label}, ${kind.unit}`} error={error}>
          {(control) => (
            <input
              {...control}
              type="number"
              step="any"
              required
              value={draft.text}
              onChange={({ target }) => onChange({ ...draft, text: target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}
