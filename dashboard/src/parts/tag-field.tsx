// Tags as chips: typed, ended by Enter or a comma, offered from those there are.
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { tintype } from '../api.ts';

type TagFieldProps = {
  readonly label: string;
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
};

const offered = 200;

export function TagField({ label, tags, onChange }: TagFieldProps) {
  const id = useId();
  const [text, setText] = useState('');
  const known = useQuery({ queryKey: ['tags'], queryFn: ({ signal }) => tintype.tags({ signal }) });
  const add = (written: string): void => {
    const added = written.split(',').map((tag) => tag.trim());
    const next = [...new Set([...tags, ...added.filter(Boolean)])];
    if (next.length !== tags.length) onChange(next);
    setText('');
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="row">
        {tags.map((tag) => (
          <span key={tag} className="chip">
            {tag}
            <button
              type="button"
              aria-label={`Remove the tag ${tag}`}
              onClick={() => onChange(tags.filter((each) => each !== tag))}
            >
              ×
            </button>
          </span>
        ))}
        <input
          id={id}
          className="tag-input"
          list={`${id}-known`}
          maxLength={1000}
          placeholder="Add a tag"
          value={text}
          onChange={({ target }) => (target.value.includes(',') ? add(target.value) : setText(target.value))}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault();
              add(text);
            }
            if (event.key === 'Backspace' && text === '') onChange(tags.slice(0, -1));
          }}
          onBlur={() => add(text)}
        />
      </div>
      <datalist id={`${id}-known`}>
        {known.data?.slice(0, offered).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}
