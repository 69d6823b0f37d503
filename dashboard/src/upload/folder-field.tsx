// A folder, new or one of those there are.
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { tintype } from '../api.ts';

export function FolderField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  const { data = [] } = useQuery({
    queryKey: ['folders'],
    queryFn: ({ signal }) => tintype.folders({ signal }),
  });
  return (
    <div className="field">
      <label htmlFor={id}>Folder</label>
      <input
        id={id}
        list={`${id}-known`}
        value={value}
        maxLength={512}
        placeholder="none"
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={`${id}-known`}>
        {data.slice(0, 200).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}
