// Transformations that have a name: an address says `preset-card`, and what that is can change.
import { useState } from 'react';
import type { Account } from '../../../../client/src/index.ts';
import { useNotices } from '../../parts/notices.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { sentence } from '../../parts/sentence.ts';
import { useChangeAccount } from '../use-account.ts';
import { type PresetRow, presetsOf, refusedRow, repeatedRow, rowsOf } from './preset-draft.ts';
import { PresetFields } from './preset-fields.tsx';

export function PresetsForm({ account }: { account: Account }) {
  const [rows, setRows] = useState(() => rowsOf(account.presets));
  const change = useChangeAccount();
  const notices = useNotices();
  const repeated = repeatedRow(rows);
  const refused = refusedRow(change.error, rows);
  const why = (row: PresetRow): string | null => {
    if (row === repeated) return 'Another preset has this name already.';
    return row === refused ? sentence(change.error) : null;
  };
  const edit = (next: readonly PresetRow[]): void => {
    setRows(next);
    // What was refused may be mended.
    change.reset();
  };
  const isAsSaved = JSON.stringify(presetsOf(rows)) === JSON.stringify(account.presets) && !repeated;
  const save = (): void =>
    change.mutate(
      { presets: presetsOf(rows) },
      {
        onSuccess: ({ presets }) => {
          setRows(rowsOf(presets));
          notices.done('The presets are saved.');
        },
      },
    );
  return (
    <form
      className="card"
      aria-labelledby="presets"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h2 id="presets">Presets</h2>
      <p className="muted">
        An address that ends in <code>preset-card.webp</code> has what is called <code>card</code> here. What
        it means can change; addresses stay the same. <a href="/docs">All tokens</a>
      </p>
      {rows.length === 0 && <p>No presets yet: add one, such as “card” for w-400_h-300_g-auto_q-70.</p>}
      {rows.length > 0 && (
        <div className="presets-head" aria-hidden="true">
          <span>Name</span>
          <span>Tokens</span>
        </div>
      )}
      {rows.length > 0 && (
        <ul className="presets">
          {rows.map((row) => (
            <PresetFields
              key={row.id}
              row={row}
              error={why(row)}
              onEdit={(part) => edit(rows.map((each) => (each === row ? { ...row, ...part } : each)))}
              onRemove={() => edit(rows.filter((each) => each !== row))}
            />
          ))}
        </ul>
      )}
      {!refused && <Refusal error={change.error} />}
      <div className="row">
        <button type="button" onClick={() => edit([...rows, { id: nextId(rows), name: '', tokens: '' }])}>
          Add a preset
        </button>
        <button
          type="submit"
          className="primary"
          disabled={change.isPending || isAsSaved || repeated !== undefined}
        >
          {change.isPending ? 'Saving …' : 'Save the presets'}
        </button>
      </div>
    </form>
  );
}

function nextId(rows: readonly PresetRow[]): number {
  return Math.max(-1, ...rows.map(({ id }) => id)) + 1;
}
