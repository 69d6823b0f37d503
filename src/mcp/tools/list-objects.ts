// Pages through what the account has, newest first.
import { Type } from 'typebox';
import { json, pictures } from '../content.ts';
import { folder, maxThumbnails, tagList, thumbnails } from '../fields.ts';
import { objectFacts } from '../object-facts.ts';
import { defineTool, reads } from '../tool.ts';

export const listObjects = defineTool({
  name: 'list_objects',
  title: 'List images and videos',
  description:
    'Lists images and videos of the account, newest first, all or those with given tags, folder or type. Answers with a page of objects and, while there may be more, next_cursor: give it as cursor to get the next page.',
  input: Type.Object(
    {
      tags: Type.Optional(tagList),
      folder: Type.Optional(folder),
      type: Type.Optional(Type.Enum(['image', 'video'], { description: 'Only these' })),
      limit: Type.Optional(
        Type.Integer({ description: 'Objects of a page; 20 if left out', minimum: 1, maximum: 100 }),
      ),
      cursor: Type.Optional(Type.String({ description: 'next_cursor of the page before' })),
      thumbnails: Type.Optional(thumbnails),
    },
    { additionalProperties: false },
  ),
  annotations: reads,
  run: async ({ limit = 20, cursor = '', thumbnails: shows, ...filter }, context) => {
    const { service, signal } = context;
    const page = await service.list({ ...filter, page_size: limit, cursor, signal });
    const { total, nextCursor: next_cursor } = page;
    const facts = json({ total, next_cursor, objects: page.items.map(objectFacts) });
    const shown = shows ? page.items.slice(0, maxThumbnails) : [];
    const loaded = shown.map((one, index) => ({ id: one.object_id, address: page.thumbnails[index] ?? '' }));
    return [facts, ...(await pictures(loaded, context))];
  },
});
