// Choices in full view, each with what it means: one of them (`OneOf`), or any number (`AnyOf`).
import './forms.css';
import { type ReactNode, useId } from 'react';

export type Option<Value extends string> = {
  readonly value: Value;
  readonly label: string;
  readonly hint?: ReactNode;
};

type ChoicesProps<Value extends string> = {
  readonly legend: string;
  readonly options: readonly Option<Value>[];
  /** Why the choice was refused, as a sentence. */
  readonly error?: string | null;
};

type OneOfProps<Value extends string> = ChoicesProps<Value> & {
  readonly chosen: Value;
  readonly onChange: (chosen: Value) => void;
};

type AnyOfProps<Value extends string> = ChoicesProps<Value> & {
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
};

export function OneOf<Value extends string>({ chosen, onChange, ...rest }: OneOfProps<Value>) {
  return <Choices {...rest} type="radio" isChosen={(value) => value === chosen} onToggle={onChange} />;
}

export function AnyOf<Value extends string>({ chosen, onChange, ...rest }: AnyOfProps<Value>) {
  return (
    <Choices
      {...rest}
      type="checkbox"
      isChosen={(value) => chosen.includes(value)}
      onToggle={(toggled) =>
        onChange(
          chosen.includes(toggled) ? chosen.filter((value) => value !== toggled) : [...chosen, toggled],
        )
      }
    />
  );
}

function Choices<Value extends string>({
  legend,
  options,
  error = null,
  type,
  isChosen,
  onToggle,
}: ChoicesProps<Value> & {
  type: 'radio' | 'checkbox';
  isChosen: (value: Value) => boolean;
  onToggle: (value: Value) => void;
}) {
  const id = useId();
  return (
    <fieldset className="choices" aria-describedby={error === null ? undefined : `${id}-error`}>
      <legend className="label">{legend}</legend>
      {options.map(({ value, label, hint }) => (
        <div key={value} className="choice">
          <input
            id={`${id}-${value}`}
            type={type}
            name={id}
            checked={isChosen(value)}
            aria-describedby={hint ? `${id}-${value}-hint` : undefined}
            onChange={() => onToggle(value)}
          />
          <label htmlFor={`${id}-${value}`}>{label}</label>
          {hint && (
            <p id={`${id}-${value}-hint`} className="hint muted">
              {hint}
            </p>
          )}
        </div>
      ))}
      {error !== null && (
        <p id={`${id}-error`} className="hint fault" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
