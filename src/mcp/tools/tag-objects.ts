// Tags of one object or of many: added, removed, or replaced.
import { Type } from 'typebox';
import { TintypeError } from '../../../client/src/index.ts';
import { json, text } from '../content.ts';
import { objectId } from '../fields.ts';
import { type Content, defineTool, type ToolContext, ToolFault } from '../tool.ts';

type Outcome = { object_id: string; status: 'success' | 'error'; error?: string };
type Change = { ids: string[]; tags: string[] };

export const tagObjects = defineTool({
  name: 'tag_objects',
  title: 'Tag images and videos',
  description:
    'Changes the tags of up to 100 objects: add keeps those they have, remove takes these away, replace leaves only these (none clears all). Answers what became of each.',
  input: Type.Object(
    {
      object_ids: Type.Array(objectId, { description: 'Ids of the objects', minItems: 1, maxItems: 100 }),
      action: Type.Enum(['add', 'remove', 'replace'], { description: 'What is done with the tags' }),
      tags: Type.Array(Type.String(), { description: 'The tags', maxItems: 100 }),
    },
    { additionalProperties: false },
  ),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async ({ object_ids: ids, action, tags }, context) => {
    if (action === 'replace') return told(await replaceEach({ ids, tags }, context));
    const { service, signal } = context;
    const bulkAction = action === 'add' ? 'tag' : 'untag';
    return told(await service.bulk({ action: bulkAction, objects: ids, tags, signal }));
  },
});

async function replaceEach({ ids, tags }: Change, { service, signal }: ToolContext): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const id of ids) {
    try {
      await service.update(id, { tags, signal });
      outcomes.push({ object_id: id, status: 'success' });
    } catch (error) {
      // Of the one object; anything else all of them would meet.
      if (!(error instanceof TintypeError && error.status === 404)) throw error;
      outcomes.push({ object_id: id, status: 'error', error: error.message });
    }
  }
  return outcomes;
}

function told(outcomes: readonly Outcome[]): Content[] {
  const failed = outcomes.filter(({ status }) => status === 'error');
  if (failed.length === outcomes.length)
    throw new ToolFault(failed.map(({ object_id: id, error }) => `${id}: ${error}`).join('\n'));
  const changed = text(`Changed ${outcomes.length - failed.length} of ${outcomes.length}.`);
  return failed.length === 0 ? [changed] : [changed, json(failed)];
}
