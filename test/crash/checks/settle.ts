// After a restart: finds out which of its possible states each object is in, and that it is in one of them. What was
// not answered is wholly there or wholly absent, and its repeat under the same key stores nothing twice.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type Api, json } from '../api.ts';
import type { Living, Model, State, StoredAnswer } from '../model.ts';
import { type Upload, uploadBody } from '../uploads.ts';
import { type Item, walk } from './walk.ts';

export async function settle(api: Api, model: Model): Promise<void> {
  const found = new Map(
    (await walk(api, { cursor: '', page_size: '100' })).map((item) => [item.object_id, item]),
  );
  for (const [id, states] of model.states()) {
    const item = found.get(id);
    found.delete(id);
    const actual = states.find((state) => isItem(item, id, state));
    assert.ok(actual !== undefined, wrongState(id, item, states));
    if (states.length > 1) model.settle(id, actual);
  }
  for (const [id, item] of found) {
    const adopted = model.adopt(id, item.original_file_name);
    assert.ok(adopted && isItem(item, id, adopted), `nobody uploaded this: ${JSON.stringify(item)}`);
  }
  model.forgetNameless();
  await repeatUnanswered(api, model);
  await repeatAnswered(api, model);
}

export function isItem(item: Item | undefined, id: string, state: State): boolean {
  if (!item || !state) return !item && !state;
  return isDeepStrictEqual(shown(item), expectedItem([id, state]));
}

export function shown({ object_id, tags, folder, size, original_file_name }: Item): Item {
  return { object_id, tags, folder, size, original_file_name };
}

export function expectedItem([id, state]: Living): Item {
  const { tags, folder, sizeBytes, fileName } = state;
  return {
    object_id: id,
    tags,
    folder,
    size: Math.round((sizeBytes / 1024) * 100) / 100,
    original_file_name: fileName,
  };
}

function wrongState(id: string, item: Item | undefined, states: readonly State[]): string {
  const is = item ? JSON.stringify(shown(item)) : 'absent';
  const may = states.map((state) => (state ? JSON.stringify(expectedItem([id, state])) : 'absent'));
  return `${id} is\n  ${is}, but should be\n  ${may.join(', or\n  ')}`;
}

async function repeatUnanswered(api: Api, model: Model): Promise<void> {
  for (const keyed of model.keyedUploads().unanswered) {
    const { upload, key } = keyed;
    const there = model.alive().find(([, state]) => state.fileName === upload.fileName);
    model.sendTwice(upload);
    const answer = await repeat(api, upload, key);
    if (there) assert.equal(answer.object_id, there[0], `the repeat under ${key} made a second object`);
    model.acknowledgeUpload(answer.object_id, upload);
    model.acknowledgeKeyed(keyed, answer);
  }
}

/** The first answer, whatever became of the object since. */
async function repeatAnswered(api: Api, model: Model): Promise<void> {
  for (const { upload, key, answer } of model.keyedUploads().answered.slice(-5))
    assert.deepEqual(await repeat(api, upload, key), answer);
}

async function repeat(api: Api, upload: Upload, key: string): Promise<StoredAnswer> {
  const headers = { 'Idempotency-Key': key };
  return json(await api.ask('/upload/', { method: 'POST', body: uploadBody(upload), headers }));
}
