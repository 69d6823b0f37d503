// The words an account has in use already, so that nobody makes up new ones beside them.
import { Type } from 'typebox';
import type { NameWithCount } from '../../../client/src/index.ts';
import { json } from '../content.ts';
import { defineTool, reads } from '../tool.ts';

const maxNames = 200;

export const listNames = defineTool({
  name: 'list_tags_and_folders',
  title: 'List tags and folders',
  description:
    'Lists the tags and folders of the account with how many objects have them, the most used first.',
  input: Type.Object({}, { additionalProperties: false }),
  annotations: reads,
  run: async (_input, { service, signal }) => {
    const [tags, folders] = await Promise.all([service.tags({ signal }), service.folders({ signal })]);
    return [json({ tags: mostUsed(tags), folders: mostUsed(folders) })];
  },
});

function mostUsed(names: readonly NameWithCount[]) {
  const sorted = names.toSorted((one, other) => other.count - one.count);
  return { total: names.length, names: sorted.slice(0, maxNames) };
}
