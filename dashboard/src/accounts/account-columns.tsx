// What the table of accounts shows.
import type { AccountRecord } from '../../../client/src/index.ts';
import type { Column } from '../parts/data-table.tsx';
import { dateAndTime, kilobytes, minutes } from '../parts/units.ts';

export function accountColumns(ownId: string | undefined): readonly Column<AccountRecord>[] {
  return [
    {
      name: 'E-mail',
      cell: ({ email, account_id: id }) => (
        <>
          <strong>{email}</strong>
          <br />
          <code className="muted">{id}</code>
          {id === ownId && <span className="muted"> · yours</span>}
        </>
      ),
    },
    { name: 'Tier', cell: ({ tier }) => tier },
    { name: 'Storage', cell: (account) => of(account.storage_used, account.storage_limit, kilobytes) },
    {
      name: 'Video',
      cell: (account) => of(account.video_minutes_used, account.video_minutes_limit, minutes),
    },
    { name: 'Objects', cell: ({ object_count: objects }) => objects.toLocaleString('en') },
    { name: 'State', cell: stateOf },
  ];
}

function of(used: number, limit: number | null, inWords: (value: number) => string) {
  return (
    <>
      {inWords(used)} <span className="muted">{limit === null ? '· no limit' : `of ${inWords(limit)}`}</span>
    </>
  );
}

function stateOf({ enabled, erase_at: eraseAt }: AccountRecord) {
  if (eraseAt !== null)
    return (
      <>
        deleted <span className="muted">· erased on {dateAndTime(eraseAt)}</span>
      </>
    );
  return enabled ? 'enabled' : 'disabled';
}
