// The plain ways to change something: upload with and without an id or a key, new tags, delete, use an id again.
import { json } from '../api.ts';
import type { KeyedUpload, State, StoredAnswer } from '../model.ts';
import { allFolders, allTags } from '../uploads.ts';
import type { LoadContext, Work } from './context.ts';

export const uploadWithId: Work = (context) => upload(context, context.newId());
export const uploadWithoutId: Work = (context) => upload(context, null);
export const uploadWithIdAndKey: Work = (context) => uploadWithKey(context, context.newId());
export const uploadWithKeyOnly: Work = (context) => uploadWithKey(context, null);

async function upload(context: LoadContext, objectId: string | null): Promise<void> {
  const { model } = context;
  const made = context.uploads.make(objectId);
  await model.alone([objectId ?? made.fileName], async () => {
    model.beginUpload(made);
    const { object_id: id } = json<StoredAnswer>(await context.upload(made));
    model.acknowledgeUpload(id, made);
  });
}

async function uploadWithKey(context: LoadContext, objectId: string | null): Promise<void> {
  const { model } = context;
  const made = context.uploads.make(objectId);
  await model.alone([objectId ?? made.fileName], async () => {
    model.beginUpload(made);
    const keyed: KeyedUpload = { key: `key-of-${made.sha256}`, upload: made };
    model.beginKeyed(keyed);
    const answer = json<StoredAnswer>(await context.upload(made, { key: keyed.key }));
    model.acknowledgeUpload(answer.object_id, made);
    model.acknowledgeKeyed(keyed, answer);
  });
}

export const update: Work = async (context) => {
  const { model, random } = context;
  await model.withObjects(random, 1, async ([[id, state]]) => {
    const tags = random.some(allTags, 4);
    const folder = random.chance(0.5) ? state.folder : random.pick([null, ...allFolders]);
    const next: State = { ...state, tags, folder };
    model.begin(id, next);
    const body = folder === state.folder ? { tags } : { tags, folder };
    await context.request(`/update/${id}`, { method: 'POST', body });
    model.acknowledge(id, next);
  });
};

export const deleteOne: Work = (context) =>
  context.model.withObjects(context.random, 1, ([[id]]) => deleteId(context, id));

async function deleteId(context: LoadContext, id: string): Promise<void> {
  context.model.begin(id, null);
  await context.request(`/delete/${id}`, { method: 'DELETE' });
  context.model.acknowledge(id, null);
}

/** Deletes and uses the id again at once: no address may show the old bytes then. */
export const replace: Work = async (context) => {
  const { model } = context;
  await model.withObjects(context.random, 1, async ([[id]]) => {
    await deleteId(context, id);
    const made = context.uploads.make(id);
    model.beginUpload(made);
    await context.upload(made);
    model.acknowledgeUpload(id, made);
    await context.expectOriginal(id, made.sha256);
  });
};
