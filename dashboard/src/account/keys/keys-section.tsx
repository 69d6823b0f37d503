// The keys of the account: made, rotated, revoked.
import { useState } from 'react';
import { DataTable } from '../../parts/data-table.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { allows } from '../allows.ts';
import { MissingScope } from '../missing-scope.tsx';
import { keyColumns } from './key-columns.tsx';
import { KeyDialogs, type KeyQuestion } from './key-dialogs.tsx';
import { useKeys, useOwnKeyId } from './use-keys.ts';

export function KeysSection({ scopes }: { scopes: readonly string[] }) {
  const [asked, setAsked] = useState<KeyQuestion | null>(null);
  const isAllowed = allows(scopes, 'account');
  return (
    <section className="card" aria-labelledby="keys">
      <div className="row spread">
        <h2 id="keys">Keys</h2>
        {isAllowed && (
          <button type="button" className="primary" onClick={() => setAsked({ what: 'create' })}>
            Create a key
          </button>
        )}
      </div>
      <p className="muted">
        Applications show a key with every request. Give each its own, with no more scopes than it needs.
      </p>
      {isAllowed ? (
        <Keys onAsk={setAsked} />
      ) : (
        <MissingScope scope="account" needed="to see and change keys" />
      )}
      {asked && <KeyDialogs asked={asked} onAsk={setAsked} isOperator={scopes.includes('operator')} />}
    </section>
  );
}

function Keys({ onAsk }: { onAsk: (asked: KeyQuestion) => void }) {
  const keys = useKeys();
  const ownKeyId = useOwnKeyId();
  if (!keys.data && keys.isError) return <Failure error={keys.error} retry={() => void keys.refetch()} />;
  if (!keys.data) return <Loading what="the keys" error={keys.failureReason} />;
  return (
    <DataTable
      caption="Keys"
      columns={keyColumns(ownKeyId)}
      rows={keys.data}
      keyOf={({ key_id: id }) => id}
      actions={(key) => (
        <>
          <button
            type="button"
            className="small"
            aria-label={`Rotate ${key.name}`}
            onClick={() => onAsk({ what: 'rotate', key })}
          >
            Rotate …
          </button>
          <button
            type="button"
            className="small"
            aria-label={`Revoke ${key.name}`}
            onClick={() => onAsk({ what: 'revoke', key })}
          >
            Revoke …
          </button>
        </>
      )}
    />
  );
}
