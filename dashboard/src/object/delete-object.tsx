// Deletes the object of the page, after a question.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { ObjectDetails } from '../../../client/src/index.ts';
import { useBulk } from '../library/bulk-actions.ts';
import { DeleteDialog } from '../library/delete-dialog.tsx';
import { useNotices } from '../parts/notices.tsx';
import { paths } from '../paths.ts';

export function DeleteObject({ object }: { object: ObjectDetails }) {
  const [isAsked, setIsAsked] = useState(false);
  const [, navigate] = useLocation();
  const notices = useNotices();
  const bulk = useBulk();
  const remove = (): void =>
    bulk.mutate(
      { action: 'delete', ids: [object.object_id] },
      {
        onSuccess: ({ refused }) => {
          notices.done(refused[0] ?? `${object.original_file_name} is deleted.`);
          navigate(paths.library, { replace: true });
        },
        onError: (error) => notices.failed(error),
      },
    );
  return (
    <>
      <button type="button" onClick={() => setIsAsked(true)}>
        Delete …
      </button>
      {isAsked && (
        <DeleteDialog
          objects={[object]}
          progress={bulk.isPending ? bulk.progress : null}
          onDelete={remove}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  );
}
