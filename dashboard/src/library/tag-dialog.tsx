// Tags for all selected ones, added or removed.
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { TagField } from '../parts/tag-field.tsx';
import { count } from '../parts/units.ts';

type TagDialogProps = {
  readonly action: 'tag' | 'untag';
  readonly howMany: number;
  readonly isPending: boolean;
  readonly onSubmit: (tags: readonly string[]) => void;
  readonly onClose: () => void;
};

export function TagDialog({ action, howMany, isPending, onSubmit, onClose }: TagDialogProps) {
  const [tags, setTags] = useState<readonly string[]>([]);
  const verb = action === 'tag' ? 'Add' : 'Remove';
  return (
    <Dialog
      title={`${verb} tags ${action === 'tag' ? 'to' : 'from'} ${count(howMany, 'object')}`}
      onClose={onClose}
    >
      <TagField label="Tags" tags={tags} onChange={setTags} />
      <div className="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="primary"
          disabled={isPending || tags.length === 0}
          onClick={() => onSubmit(tags)}
        >
          {isPending ? 'One moment …' : `${verb} ${count(tags.length, 'tag')}`}
        </button>
      </div>
    </Dialog>
  );
}
