// Finds pictures by what is to be seen on them, or by their likeness to another.
import { Type } from 'typebox';
import { json, pictures, text } from '../content.ts';
import { folder, maxThumbnails, tagList, thumbnails } from '../fields.ts';
import { defineTool, reads, ToolFault } from '../tool.ts';

export const searchPictures = defineTool({
  name: 'search_pictures',
  title: 'Search pictures by description',
  description:
    'Finds pictures of the account by describing what is to be seen on them (query), or those that look like another one (like). Answers with id, caption, similarity (0 to 1) and address of each, the most similar first. Needs AI analysis to be enabled for the account.',
  input: Type.Object(
    {
      query: Type.Optional(
        Type.String({ description: 'What is to be seen, in plain language', minLength: 1, maxLength: 500 }),
      ),
      like: Type.Optional(
        Type.String({
          description: 'Instead of query: id of a picture the others are to be like',
          minLength: 1,
        }),
      ),
      tags: Type.Optional(tagList),
      folder: Type.Optional(folder),
      threshold: Type.Optional(
        Type.Number({
          description: 'Least similarity; 0.7 if left out, 0.5 to 0.7 is lenient, 0.9 very strict',
          minimum: 0,
          maximum: 1,
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ description: 'At most so many; 10 if left out', minimum: 1, maximum: 100 }),
      ),
      exact_words_first: Type.Optional(
        Type.Boolean({ description: 'Whether exact hits in tags, file names and captions come first' }),
      ),
      thumbnails: Type.Optional(thumbnails),
    },
    { additionalProperties: false },
  ),
  annotations: reads,
  run: async (input, context) => {
    const { query, like, thumbnails: shows, exact_words_first: hybrid, ...filter } = input;
    if ((query === undefined) === (like === undefined))
      throw new ToolFault('Give either query or like, and only one of them.');
    const { service, signal } = context;
    const options = { ...filter, ...(hybrid ? { mode: 'hybrid' as const } : {}), signal };
    const found =
      query === undefined ? service.searchLike(like as string, options) : service.search(query, options);
    const results = await found;
    if (results.length === 0)
      return [
        text(`Nothing is that similar (threshold ${input.threshold ?? 0.7}); a lower threshold finds more.`),
      ];
    const facts = results.map((one) => ({
      object_id: one.objectId,
      caption: one.caption,
      similarity: one.similarity,
      object_url: one.objectUrl,
    }));
    const shown = shows ? results.slice(0, maxThumbnails) : [];
    const loaded = shown.map((one) => ({ id: one.objectId, address: one.thumbnail }));
    return [json(facts), ...(await pictures(loaded, context))];
  },
});
