// The tier of an account.
import type { AccountRecord } from '../../../client/src/index.ts';
import { Field } from '../parts/field.tsx';

export type Tier = AccountRecord['tier'];

const tiers: readonly Tier[] = ['free', 'pro', 'enterprise'];

export function TierField({ tier, onChange }: { tier: Tier; onChange: (tier: Tier) => void }) {
  return (
    <Field label="Tier" hint="It brings the limits that are not set below; enterprise has none.">
      {(control) => (
        <select {...control} value={tier} onChange={({ target }) => onChange(target.value as Tier)}>
          {tiers.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
