// One control, as its row of the table describes it. An empty value leaves the address as it is.
import { useId } from 'react';
import type { Control, Input } from './control.ts';

type FieldProps = {
  readonly control: Control;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

export function ControlField({ control, value, onChange }: FieldProps) {
  const id = useId();
  const { input, label, help } = control;
  if (input.kind === 'flag') {
    return (
      <label className="row">
        <input
          type="checkbox"
          checked={value !== ''}
          onChange={({ target }) => onChange(target.checked ? 'yes' : '')}
        />
        {label}
      </label>
    );
  }
  if (input.kind === 'numbers')
    return <NumbersField label={label} input={input} value={value} onChange={onChange} />;
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {input.kind === 'slider' && value !== '' && <span className="muted"> {value}</span>}
      </label>
      <OneInput id={id} input={input} value={value} onChange={onChange} />
      {help && <p className="muted builder-help">{help}</p>}
    </div>
  );
}

type InputProps<Kind extends Input['kind']> = {
  readonly input: Extract<Input, { kind: Kind }>;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

function OneInput({
  id,
  input,
  value,
  onChange,
}: InputProps<'number' | 'slider' | 'choice' | 'colour' | 'text'> & { id: string }) {
  switch (input.kind) {
    case 'number':
      return (
        <input
          id={id}
          type="number"
          min={input.min}
          max={input.max}
          step={input.step ?? 1}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      );
    case 'slider':
      return (
        <input
          id={id}
          type="range"
          min={input.min}
          max={input.max}
          step={input.step ?? 1}
          value={value === '' ? input.rest : value}
          onChange={({ target }) => onChange(Number(target.value) === input.rest ? '' : target.value)}
        />
      );
    case 'choice':
      return (
        <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">as it is</option>
          {input.choices.map(([choice, label]) => (
            <option key={choice} value={choice}>
              {label}
            </option>
          ))}
        </select>
      );
    case 'colour':
      return <ColourInput id={id} value={value} onChange={onChange} />;
    case 'text':
      return (
        <input
          id={id}
          value={value}
          maxLength={200}
          placeholder={input.placeholder}
          onChange={({ target }) => onChange(target.value.trim())}
        />
      );
  }
}

function ColourInput({
  id,
  value,
  onChange,
}: {
  id: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <div className="row builder-colour">
      <input
        id={id}
        type="color"
        value={value || '#ffffff'}
        onChange={({ target }) => onChange(target.value)}
      />
      {value !== '' && (
        <button type="button" className="small quiet" onClick={() => onChange('')}>
          None
        </button>
      )}
    </div>
  );
}

function NumbersField({ label, input, value, onChange }: InputProps<'numbers'> & { label: string }) {
  const parts = input.labels.map((_, index) => value.split(',')[index] ?? '');
  const change = (index: number, part: string): void => {
    const next = parts.with(index, part);
    onChange(next.every((each) => each === '') ? '' : next.join(','));
  };
  return (
    <fieldset className="builder-numbers">
      <legend className="label">{label}</legend>
      {input.labels.map((name, index) => (
        <input
          key={name}
          type="number"
          aria-label={`${label}: ${name}`}
          placeholder={name}
          min={0}
          max={input.max}
          step={input.step ?? 1}
          value={parts[index]}
          onChange={({ target }) => change(index, target.value)}
        />
      ))}
    </fieldset>
  );
}
