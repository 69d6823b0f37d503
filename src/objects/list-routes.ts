// Listings: all objects or those with given tags, folder or type, by page or cursor; and the names of tags and folders.
import type { FastifyReply } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { Database } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import type { HttpApp } from '../platform/http/http-server.ts';
import { folderFacet, tagFacet, typeFacet } from './facets.ts';
import { findPage, type Page } from './find-page.ts';
import { parseFolder, parseTagList } from './object-fields.ts';
import { ObjectDetails, objectDetails, objectUrl, type PublicUrls, thumbnailName } from './object-json.ts';
import type { ObjectRow } from './tables.ts';

/** Counting what a filter matches stays cheap up to here; a larger total is left out. */
const maxFilteredTotal = 10_000;

const ListQuery = Type.Object({
  page: Type.Integer({
    minimum: 1,
    maximum: 1e12,
    default: 1,
    'x-error': 'Query parameter "page" must be a whole number of at least 1',
  }),
  page_size: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 10,
    'x-error': 'Query parameter "page_size" must be a whole number from 1 to 100',
  }),
  tags: Type.Optional(
    Type.Array(Type.String(), { description: 'Repeated or comma-separated; an object must carry all' }),
  ),
  folder: Type.Optional(Type.String({ description: 'Exactly this folder' })),
  type: Type.Optional(
    Type.Union([Type.Literal('image'), Type.Literal('video')], {
      'x-error': 'Query parameter "type" must be "image" or "video"',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ description: 'Walks a whole library: empty to begin, then as in the Link header' }),
  ),
  view: Type.Optional(Type.Literal('full', { 'x-error': 'Query parameter "view" must be "full"' })),
});
type ListQuery = Static<typeof ListQuery>;

const ListingPage = Type.Object({
  page: Type.Integer(),
  page_size: Type.Integer(),
  objects: Type.Array(Type.String()),
  urls: Type.Array(Type.String()),
  thumbnails: Type.Array(Type.String()),
  items: Type.Optional(Type.Array(ObjectDetails)),
});
const Names = (name: string) =>
  Type.Object({ [name]: Type.Array(Type.Object({ name: Type.String(), count: Type.Integer() })) });

type Parts = { database: Database; urls: PublicUrls };

export function listRoutes(app: HttpApp, parts: Parts): void {
  const schema = { tags: ['Objects'], querystring: ListQuery, response: { 200: ListingPage as TSchema } };
  app.get(
    '/get/',
    { config: { scope: 'read' }, schema: { ...schema, summary: 'List objects, newest first' } },
    (request, reply) => list(parts, request.caller.account.account_id, request.query, reply, '/get/'),
  );
  app.get(
    '/get/tags',
    { config: { scope: 'read' }, schema: { ...schema, summary: 'Objects that carry all given tags' } },
    (request, reply) => {
      if (givenTags(request.query).length === 0)
        throw new AppError('bad_request', 'Query parameter "tags" is required');
      return list(parts, request.caller.account.account_id, request.query, reply, '/get/tags');
    },
  );
  for (const [path, name, prefix] of [
    ['/tags/', 'tags', tagFacet('')],
    ['/folders/', 'folders', folderFacet('')],
  ] as const) {
    const summary = `Names of all ${name}, with how many objects have them`;
    app.get(
      path,
      {
        config: { scope: 'read' },
        schema: { summary, tags: ['Objects'], response: { 200: Names(name) as TSchema } },
      },
      async (request) => ({
        [name]: await namesOf(parts.database, request.caller.account.account_id, prefix),
      }),
    );
  }
}

async function list(
  { database, urls }: Parts,
  accountId: string,
  query: ListQuery,
  reply: FastifyReply,
  path: string,
) {
  const tags = givenTags(query);
  const folder = parseFolder(query.folder);
  const facets = [
    ...tags.map(tagFacet),
    ...(folder === null ? [] : [folderFacet(folder)]),
    ...(query.type === undefined ? [] : [typeFacet(query.type)]),
  ];
  const before = parseCursor(query.cursor);
  const byCursor = query.cursor !== undefined;
  const skip = byCursor ? 0 : (query.page - 1) * query.page_size;
  const page = await findPage(database, { accountId, facets, skip, take: query.page_size, before });
  const rows = await rowsOf(database, accountId, page.seqs);
  if (facets.length === 0 || page.total <= maxFilteredTotal) reply.header('X-Total-Count', page.total);
  if (page.seqs.length === query.page_size && (byCursor || skip + query.page_size < page.total)) {
    reply.header('Link', `<${nextAddress(path, query, page)}>; rel="next"`);
  }
  const objects = rows.map((row) => objectUrl(urls, row));
  return {
    page: query.page,
    page_size: query.page_size,
    objects,
    urls: objects.map((url) => `${url}original.webp`),
    thumbnails: objects.map((url) => url + thumbnailName),
    ...(query.view === 'full' ? { items: rows.map((row) => objectDetails(urls, row)) } : {}),
  };
}

function givenTags(query: ListQuery): string[] {
  return parseTagList(query.tags?.join(','));
}

/** Relative to the address that was asked, so that it holds behind any proxy. */
function nextAddress(path: string, query: ListQuery, page: Page): string {
  const next = new URLSearchParams();
  for (const tag of givenTags(query)) next.append('tags', tag);
  for (const name of ['folder', 'type', 'view'] as const)
    if (query[name] !== undefined) next.set(name, query[name]);
  next.set('page_size', String(query.page_size));
  if (query.cursor === undefined) next.set('page', String(query.page + 1));
  else next.set('cursor', Buffer.from(String(page.seqs.at(-1))).toString('base64url'));
  return `${path}?${next.toString()}`;
}

function parseCursor(cursor: string | undefined): number | undefined {
  if (!cursor) return undefined;
  const seq = Buffer.from(cursor, 'base64url').toString();
  if (!/^\d{1,15}$/.test(seq))
    throw new AppError('bad_request', 'Query parameter "cursor" must be empty or come from a Link header');
  return Number(seq);
}

async function rowsOf(database: Database, accountId: string, seqs: readonly number[]): Promise<ObjectRow[]> {
  if (seqs.length === 0) return [];
  return database.read
    .selectFrom('objects')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('seq', 'in', seqs)
    .orderBy('seq', 'desc')
    .execute();
}

async function namesOf(
  database: Database,
  accountId: string,
  prefix: string,
): Promise<{ name: string; count: number }[]> {
  const rows = await database.read
    .selectFrom('facets')
    .select(['facet', 'count'])
    .where('account_id', '=', accountId)
    .where('facet', '>=', prefix)
    .where('facet', '<', prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1))
    .orderBy('facet')
    .execute();
  return rows.map(({ facet, count }) => ({ name: facet.slice(prefix.length), count }));
}
