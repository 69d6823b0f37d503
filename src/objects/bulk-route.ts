// POST /bulk/: one action on up to a thousand objects, with a result for each.
import { type TSchema, Type } from 'typebox';
import { AppError } from '../platform/errors.ts';
import type { HttpApp } from '../platform/http/http-server.ts';
import { changeObject, deleteObject, type DeleteParts } from './change-object.ts';
import { checkTags } from './object-fields.ts';

const atATime = 25;

const BulkRequest = Type.Object({
  action: Type.Enum(['delete', 'tag', 'untag'], {
    'x-error': 'Field "action" must be "delete", "tag" or "untag"',
  }),
  objects: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 1000,
    'x-error': 'Field "objects" must be an array of 1 to 1000 object ids',
  }),
  tags: Type.Optional(Type.Array(Type.String(), { 'x-error': 'Field "tags" must be an array of strings' })),
});
const BulkAnswer = Type.Object({
  results: Type.Array(
    Type.Object({
      object_id: Type.String(),
      status: Type.Union([Type.Literal('success'), Type.Literal('error')]),
      error: Type.Optional(Type.String()),
    }),
  ),
});

export function bulkRoute(app: HttpApp, parts: DeleteParts): void {
  app.post(
    '/bulk/',
    {
      config: { scope: 'write' },
      schema: {
        summary: 'Delete or tag many objects',
        tags: ['Objects'],
        body: BulkRequest,
        response: { 200: BulkAnswer as TSchema },
      },
    },
    async (request) => {
      const { action, objects } = request.body;
      const tags = checkTags(request.body.tags ?? []);
      if (action !== 'delete' && tags.length === 0)
        throw new AppError('bad_request', `Field "tags" is required to ${action}`);
      const accountId = request.caller.account.account_id;
      const act = async (objectId: string): Promise<unknown> => {
        if (action === 'delete') return deleteObject(parts, accountId, objectId);
        const change = (current: string[]): string[] =>
          action === 'tag' ? checkTags([...current, ...tags]) : current.filter((tag) => !tags.includes(tag));
        return changeObject(parts.database, accountId, objectId, { tags: change });
      };
      return { results: await forEach(objects, act) };
    },
  );
}

type Result =
  | { object_id: string; status: 'success' }
  | { object_id: string; status: 'error'; error: string };

async function forEach(
  objects: readonly string[],
  act: (objectId: string) => Promise<unknown>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < objects.length; start += atATime) {
    const some = objects.slice(start, start + atATime).map(async (objectId): Promise<Result> => {
      try {
        await act(objectId);
        return { object_id: objectId, status: 'success' };
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        return { object_id: objectId, status: 'error', error: error.message };
      }
    });
    results.push(...(await Promise.all(some)));
  }
  return results;
}
