// One object: read it, change its tags and folder, delete it.
import { type TSchema, Type } from 'typebox';
import { AppError } from '../platform/errors.ts';
import type { HttpApp } from '../platform/http/http-server.ts';
import { changeObject, deleteObject, type DeleteParts } from './change-object.ts';
import { findObject } from './find-object.ts';
import { checkTags, parseFolder, tagFault } from './object-fields.ts';
import { Done, done, ObjectDetails, objectDetails, type PublicUrls } from './object-json.ts';

const ObjectId = Type.Object({ object_id: Type.String() });
const tagsFault = 'Field "tags" must be an array of strings';
const Tags = Type.Array(Type.String({ 'x-error': tagsFault }), {
  'x-error': tagsFault,
});
const Folder = Type.Union([Type.String(), Type.Null()], {
  'x-error': 'Field "folder" must be a string or null',
});

export function objectRoutes(app: HttpApp, parts: DeleteParts & { urls: PublicUrls }): void {
  const { database, urls } = parts;

  app.get(
    '/get/:object_id',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'One object with all that is known of it',
        tags: ['Objects'],
        params: ObjectId,
        response: { 200: ObjectDetails as TSchema },
      },
    },
    async (request) =>
      objectDetails(
        urls,
        await findObject(database.read, request.caller.account.account_id, request.params.object_id),
      ),
  );

  app.post(
    '/update/:object_id',
    {
      config: { scope: 'write' },
      schema: {
        summary: 'Replace the tags (and folder) of an object',
        tags: ['Objects'],
        params: ObjectId,
        body: Type.Object({ tags: Tags, folder: Type.Optional(Folder) }),
        response: { 200: Done as TSchema },
      },
    },
    async (request) => {
      const { folder } = request.body;
      if (request.body.tags.some((tag) => tagFault(tag.trim()))) throw new AppError('bad_request', tagsFault);
      const tags = checkTags(request.body.tags);
      const change = { tags: () => tags, ...(folder === undefined ? {} : { folder: parseFolder(folder) }) };
      return done(
        urls,
        await changeObject(database, request.caller.account.account_id, request.params.object_id, change),
      );
    },
  );

  app.delete(
    '/delete/:object_id',
    {
      config: { scope: 'write' },
      schema: {
        summary: 'Delete an object',
        tags: ['Objects'],
        params: ObjectId,
        response: { 200: Done as TSchema },
      },
    },
    async (request) =>
      done(urls, await deleteObject(parts, request.caller.account.account_id, request.params.object_id)),
  );
}
