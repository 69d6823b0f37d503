// Several changes in one request or at the same moment: repeats that overtake each other, rivals for one id, bulk.
import { type Answer, describe, json } from '../api.ts';
import type { State } from '../model.ts';
import { allTags, type Upload } from '../uploads.ts';
import type { LoadContext, Work } from './context.ts';

const bulkSize = 3;

/** A client that lost patience and repeats while its first request still runs: one object, one answer. */
export const uploadTwiceAtOnce: Work = async (context) => {
  const { model } = context;
  const id = context.newId();
  const made = context.uploads.make(id);
  const key = `twice-${made.sha256}`;
  await model.alone([id], async () => {
    model.beginUpload(made);
    model.sendTwice(made);
    const [first, second] = await bothAnswered(context.upload(made, { key }), context.upload(made, { key }));
    if (!first.bytes.equals(second.bytes))
      throw new Error(`Two answers to one key: ${describe(first)}, ${describe(second)}`);
    model.acknowledgeUpload(id, made);
  });
};

/** Two uploads that want the same id: exactly one gets it. */
export const contendForId: Work = async (context) => {
  const { model } = context;
  const id = context.newId();
  const [left, right] = [context.uploads.make(id), context.uploads.make(id)];
  await model.alone([id], async () => {
    const send = (made: Upload): Promise<Answer> => {
      model.beginUpload(made);
      return context.upload(made, { statuses: [200, 409] });
    };
    const [ofLeft, ofRight] = await bothAnswered(send(left), send(right));
    if (ofLeft.status === ofRight.status) throw new Error(`Two uploads for ${id} got ${ofLeft.status} both`);
    model.acknowledgeUpload(id, ofLeft.status === 200 ? left : right);
  });
};

export const tagSeveral: Work = async (context) => {
  const { model, random } = context;
  const tag = random.pick(allTags);
  await model.withObjects(random, bulkSize, async (objects) => {
    const after = objects.map(([id, state]): [string, State] => [
      id,
      { ...state, tags: [...new Set([...state.tags, tag])] },
    ]);
    await bulk(context, { action: 'tag', tags: [tag] }, after);
  });
};

export const deleteSeveral: Work = async (context) => {
  await context.model.withObjects(context.random, bulkSize, (objects) =>
    bulk(
      context,
      { action: 'delete' },
      objects.map(([id]) => [id, null]),
    ),
  );
};

async function bulk(context: LoadContext, request: object, after: [string, State][]): Promise<void> {
  for (const [id, next] of after) context.model.begin(id, next);
  const body = { ...request, objects: after.map(([id]) => id) };
  const answer = await context.request('/bulk/', { method: 'POST', body });
  const { results } = json<{ results: { status: string }[] }>(answer);
  if (results.length !== after.length || results.some(({ status }) => status !== 'success'))
    throw new Error(`Bulk was answered ${describe(answer)}`);
  for (const [id, next] of after) context.model.acknowledge(id, next);
}

/** Waits for both even when one fails, so that no request outlives the work it belongs to. */
async function bothAnswered(first: Promise<Answer>, second: Promise<Answer>): Promise<[Answer, Answer]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
