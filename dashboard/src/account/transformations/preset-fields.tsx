// One preset: its name, its tokens, and what is wrong with them.
import { Field } from '../../parts/field.tsx';
import type { PresetRow } from './preset-draft.ts';

type PresetFieldsProps = {
  readonly row: PresetRow;
  readonly error: string | null;
  readonly onEdit: (part: Partial<PresetRow>) => void;
  readonly onRemove: () => void;
};

export function PresetFields({ row, error, onEdit, onRemove }: PresetFieldsProps) {
  return (
    <li className="preset">
      <Field label="Name">
        {(control) => (
          <input
            {...control}
            className="mono"
            autoComplete="off"
            spellCheck={false}
            placeholder="card"
            value={row.name}
            onChange={({ target }) => onEdit({ name: target.value })}
          />
        )}
      </Field>
      <Field label="Tokens" error={error}>
        {(control) => (
          <input
            {...control}
            className="mono"
            autoComplete="off"
            spellCheck={false}
            placeholder="w-400_h-300_g-auto_q-70"
            value={row.tokens}
            onChange={({ target }) => onEdit({ tokens: target.value })}
          />
        )}
      </Field>
      <button type="button" aria-label={`Remove the preset ${row.name}`} onClick={onRemove}>
        Remove
      </button>
    </li>
  );
}
