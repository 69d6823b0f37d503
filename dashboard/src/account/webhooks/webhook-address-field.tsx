// Where messages are to go.
import { Field } from '../../parts/field.tsx';

type WebhookAddressFieldProps = {
  readonly label: string;
  readonly address: string;
  readonly onChange: (address: string) => void;
  readonly error: string | null;
};

export function WebhookAddressField({ label, address, onChange, error }: WebhookAddressFieldProps) {
  return (
    <Field
      label={label}
      hint="It must be on the public internet and answer 200 to 299 within 15 seconds."
      error={error}
    >
      {(control) => (
        <input
          {...control}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          required
          placeholder="https://app.example.com/hooks/tintype"
          value={address}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
