// What can be done with the selected ones.
import { useState } from 'react';
import { useNotices } from '../parts/notices.tsx';
import { count } from '../parts/units.ts';
import { type BulkOutcome, type BulkWork, useBulk } from './bulk-actions.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { TagDialog } from './tag-dialog.tsx';
import type { Selection } from './use-selection.ts';

export function SelectionBar({ selection }: { selection: Selection }) {
  const [asked, setAsked] = useState<'tag' | 'untag' | 'delete' | null>(null);
  const notices = useNotices();
  const bulk = useBulk();
  const objects = [...selection.objects.values()];
  const ids = objects.map(({ object_id: id }) => id);
  const run = (work: BulkWork): void =>
    bulk.mutate(work, {
      onSuccess: (outcome) => {
        notices.done(told(work, outcome));
        selection.clear();
        setAsked(null);
      },
      onError: (error) => notices.failed(error),
    });
  const close = (): void => setAsked(null);
  return (
    <div className="selection-bar" role="region" aria-label="Selection">
      <strong>{count(objects.length, 'object')} selected</strong>
      <button type="button" className="small" onClick={() => setAsked('tag')}>
        Add tags …
      </button>
      <button type="button" className="small" onClick={() => setAsked('untag')}>
        Remove tags …
      </button>
      <button type="button" className="small" onClick={() => setAsked('delete')}>
        Delete …
      </button>
      <button type="button" className="small quiet" onClick={selection.clear}>
        Clear
      </button>
      {asked === 'delete' && (
        <DeleteDialog
          objects={objects}
          progress={bulk.isPending ? bulk.progress : null}
          onDelete={() => run({ action: 'delete', ids })}
          onClose={close}
        />
      )}
      {(asked === 'tag' || asked === 'untag') && (
        <TagDialog
          action={asked}
          howMany={ids.length}
          isPending={bulk.isPending}
          onSubmit={(tags) => run({ action: asked, ids, tags })}
          onClose={close}
        />
      )}
    </div>
  );
}

function told({ action }: BulkWork, { done, refused }: BulkOutcome): string {
  const verb = { delete: 'deleted', tag: 'tagged', untag: 'untagged' }[action];
  const well = `${count(done, 'object')} ${verb}.`;
  if (refused.length === 0) return well;
  return `${well} ${count(refused.length, 'object')} not: ${[...new Set(refused)].slice(0, 3).join('; ')}`;
}
