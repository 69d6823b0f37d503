// A control with its label, what helps to fill it in, and why it was refused, tied together for those who hear the page.
import './forms.css';
import { type ReactNode, useId } from 'react';

type Control = {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
};
type FieldProps = {
  readonly label: string;
  readonly hint?: ReactNode;
  /** A sentence. */
  readonly error?: string | null;
  readonly children: (control: Control) => ReactNode;
};

export function Field({ label, hint, error = null, children }: FieldProps) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', error === null ? '' : `${id}-error`].filter(Boolean);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described.join(' ') || undefined,
        'aria-invalid': error === null ? undefined : true,
      })}
      {hint && (
        <p id={`${id}-hint`} className="hint muted">
          {hint}
        </p>
      )}
      {error !== null && (
        <p id={`${id}-error`} className="hint fault" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
