// What the table of keys shows.
import type { Key } from '../../../../client/src/index.ts';
import type { Column } from '../../parts/data-table.tsx';
import { ago, dateAndTime } from '../../parts/units.ts';

export function keyColumns(ownKeyId: string | undefined): readonly Column<Key>[] {
  return [
    {
      name: 'Name',
      cell: (key) => (
        <>
          <strong>{key.name}</strong>
          <br />
          <code className="muted">{key.key_id}</code>
          {key.key_id === ownKeyId && <span className="muted"> · of this session</span>}
        </>
      ),
    },
    { name: 'Scopes', cell: ({ scopes }) => <span className="mono">{scopes.join(', ')}</span> },
    { name: 'Created', cell: ({ created_at: at }) => dateAndTime(at) },
    { name: 'Expires', cell: ({ expires_at: at }) => expiry(at) },
    { name: 'Last use', cell: ({ last_used_at: at }) => (at === null ? 'never' : ago(at)) },
  ];
}

function expiry(at: string | null): string {
  if (at === null) return 'never';
  return Date.parse(at) <= Date.now() ? `expired ${ago(at)}` : dateAndTime(at);
}
