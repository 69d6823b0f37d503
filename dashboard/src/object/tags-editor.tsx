// Tags and folder, kept as soon as they are changed.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { ObjectDetails } from '../../../client/src/index.ts';
import { tintype } from '../api.ts';
import { sentence } from '../parts/sentence.ts';
import { TagField } from '../parts/tag-field.tsx';

/** What is left out stays as it is. */
type Change = { readonly tags: readonly string[]; readonly folder?: string | null };

export function TagsEditor({ object }: { object: ObjectDetails }) {
  const id = useId();
  const [folder, setFolder] = useState(object.folder ?? '');
  const save = useSave(object);
  const tags = save.isPending ? save.variables.tags : object.tags;
  const keepFolder = (): void => {
    if (folder !== (object.folder ?? '')) save.mutate({ tags, folder: folder || null });
  };
  return (
    <section className="stack" aria-label="Tags and folder">
      <TagField label="Tags" tags={tags} onChange={(next) => save.mutate({ tags: next })} />
      <div className="field">
        <label htmlFor={id}>Folder</label>
        <input
          id={id}
          value={folder}
          maxLength={512}
          placeholder="none"
          onChange={({ target }) => setFolder(target.value)}
          onBlur={keepFolder}
          onKeyDown={({ key }) => key === 'Enter' && keepFolder()}
        />
      </div>
      <p className="muted" role="status">
        {save.isPending && 'Saving …'}
        {save.isSuccess && 'Saved'}
      </p>
      {save.isError && (
        <p className="fault" role="alert">
          Not saved: {sentence(save.error)}
        </p>
      )}
    </section>
  );
}

function useSave({ object_id: id }: ObjectDetails) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: Change) => tintype.update(id, change),
    onSettled: () =>
      Promise.all(
        [['object', id], ['objects'], ['tags'], ['folders']].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
