// What to look for: words, type, tags, folder.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { tintype } from '../api.ts';
import { type Filters, standardThreshold } from './filters.ts';

type FilterBarProps = { readonly filters: Filters; readonly onChange: (change: Partial<Filters>) => void };

const searchAfterMs = 400;
const namesOffered = 200;

export function FilterBar({ filters, onChange }: FilterBarProps) {
  return (
    <div className="filters">
      <SearchField q={filters.q} onChange={(q) => onChange({ q })} />
      {filters.q !== '' && (
        <Threshold value={filters.threshold} onChange={(threshold) => onChange({ threshold })} />
      )}
      <TypeChoice value={filters.type} isOff={filters.q !== ''} onChange={(type) => onChange({ type })} />
      <FolderChoice value={filters.folder} onChange={(folder) => onChange({ folder })} />
      <TagChoice tags={filters.tags} onChange={(tags) => onChange({ tags })} />
    </div>
  );
}

function SearchField({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const [text, setText] = useState(q);
  const [known, setKnown] = useState(q);
  // Changed by somebody else: the way back, or a link.
  if (known !== q) {
    setKnown(q);
    if (text.trim() !== q) setText(q);
  }
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(() => onChange(text.trim()), searchAfterMs);
    return () => clearTimeout(timer);
  }, [text, q, onChange]);
  return (
    <form
      role="search"
      className="filters-search"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim());
      }}
    >
      <input
        type="search"
        aria-label="Search by describing"
        placeholder="Search by describing: boats on a calm sea"
        maxLength={500}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  );
}

function Threshold({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  const id = useId();
  return (
    <div className="row">
      <label htmlFor={id}>At least {value.toFixed(2)} alike</label>
      <input
        id={id}
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={value}
        className="filters-threshold"
        onChange={({ target }) => onChange(Number(target.value))}
        onDoubleClick={() => onChange(standardThreshold)}
      />
    </div>
  );
}

function TypeChoice({
  value,
  isOff,
  onChange,
}: {
  value: Filters['type'];
  isOff: boolean;
  onChange: (value: Filters['type']) => void;
}) {
  return (
    <select
      aria-label="Type"
      value={isOff ? 'image' : (value ?? '')}
      disabled={isOff}
      onChange={({ target }) => onChange(target.value === '' ? null : (target.value as 'image' | 'video'))}
    >
      <option value="">Pictures and films</option>
      <option value="image">Pictures</option>
      <option value="video">Films</option>
    </select>
  );
}

function FolderChoice({
  value,
  onChange,
}: {
  value: string | null;
  onChange: (value: string | null) => void;
}) {
  const { data = [] } = useQuery({
    queryKey: ['folders'],
    queryFn: ({ signal }) => tintype.folders({ signal }),
  });
  const isListed = value === null || data.some(({ name }) => name === value);
  if (data.length === 0 && value === null) return null;
  return (
    <select
      aria-label="Folder"
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    >
      <option value="">All folders</option>
      {!isListed && <option value={value}>{value}</option>}
      {data.map(({ name, count }) => (
        <option key={name} value={name}>
          {name} ({count})
        </option>
      ))}
    </select>
  );
}

function TagChoice({ tags, onChange }: { tags: readonly string[]; onChange: (tags: string[]) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const { data = [] } = useQuery({ queryKey: ['tags'], queryFn: ({ signal }) => tintype.tags({ signal }) });
  const add = (tag: string): void => {
    setText('');
    if (tag !== '' && !tags.includes(tag)) onChange([...tags, tag]);
  };
  return (
    <>
      {tags.map((tag) => (
        <span key={tag} className="chip">
          {tag}
          <button
            type="button"
            aria-label={`Remove the tag ${tag} from the filter`}
            onClick={() => onChange(tags.filter((each) => each !== tag))}
          >
            ×
          </button>
        </span>
      ))}
      <form
        className="filters-tag"
        onSubmit={(event) => {
          event.preventDefault();
          add(text.trim());
        }}
      >
        <input
          aria-label="Filter by tag"
          placeholder={tags.length === 0 ? 'Tag' : 'And tag'}
          list={id}
          value={text}
          onChange={({ target, nativeEvent }) => {
            setText(target.value);
            // Chosen from the list, not typed.
            if ((nativeEvent as InputEvent).inputType === 'insertReplacementText') add(target.value);
          }}
        />
        <datalist id={id}>
          {data.slice(0, namesOffered).map(({ name, count }) => (
            <option key={name} value={name}>
              {count}
            </option>
          ))}
        </datalist>
      </form>
    </>
  );
}
