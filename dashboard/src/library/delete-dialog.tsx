// Before something is deleted for good: what exactly will be lost.
import { image } from '../../../client/src/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { count, duration, kilobytes } from '../parts/units.ts';
import type { Selected } from './use-selection.ts';

type DeleteDialogProps = {
  readonly objects: readonly Selected[];
  /** 0 to 1 while it is being done. */
  readonly progress: number | null;
  readonly onDelete: () => void;
  readonly onClose: () => void;
};

const shown = 6;

export function DeleteDialog({ objects, progress, onDelete, onClose }: DeleteDialogProps) {
  const title = `Delete ${count(objects.length, 'object')}?`;
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="delete-previews">
        {objects.slice(0, shown).map(({ object_id: id, object_url: url, original_file_name: name }) => (
          <img
            key={id}
            src={image(url).height(200).width(200).format('webp').url}
            alt={name ?? id}
            width={80}
            height={80}
          />
        ))}
        {objects.length > shown && (
          <span className="muted">and {count(objects.length - shown, 'more', 'more')}</span>
        )}
      </div>
      <p>
        {lost(objects)} The originals, every size made from them, their streams, captions and addresses are
        gone at once. This cannot be undone.
      </p>
      {progress !== null && <progress value={progress} aria-label="Deleting" />}
      <div className="dialog-actions">
        <button type="button" onClick={onClose} autoFocus>
          {progress === null ? 'Keep them' : 'Close'}
        </button>
        <button type="button" className="primary" disabled={progress !== null} onClick={onDelete}>
          {progress === null ? `Delete ${count(objects.length, 'object')}` : 'Deleting …'}
        </button>
      </div>
    </Dialog>
  );
}

function lost(objects: readonly Selected[]): string {
  const films = objects.filter(({ duration: seconds }) => seconds !== undefined);
  const size = objects.reduce((sum, object) => sum + (object.size ?? 0), 0);
  const seconds = films.reduce((sum, film) => sum + (film.duration ?? 0), 0);
  const parts = [
    ...(objects.length > films.length ? [count(objects.length - films.length, 'picture')] : []),
    ...(films.length > 0 ? [`${count(films.length, 'film')} of ${duration(seconds)} together`] : []),
  ];
  return `${parts.join(' and ')}${size > 0 ? `, ${kilobytes(size)}` : ''}.`;
}
