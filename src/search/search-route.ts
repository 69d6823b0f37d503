// GET /get/search: checks the question and whether the account may ask it, and answers what was found.
import { type Static, type TSchema, Type } from 'typebox';
import type { Account } from '../accounts/tables.ts';
import { parseFolder, parseTagList } from '../objects/object-fields.ts';
import { objectUrl, type PublicUrls, thumbnailName } from '../objects/object-json.ts';
import type { ObjectRow } from '../objects/tables.ts';
import type { Database } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import type { HttpApp } from '../platform/http/http-server.ts';
import type { FindPictures, FoundPicture, Question } from './find-pictures.ts';

const maxQuestionCharacters = 500;

const SearchQuery = Type.Object({
  q: Type.Optional(Type.String({ description: 'What to look for, in plain language' })),
  like: Type.Optional(
    Type.String({ description: 'Instead of q: the id of a picture that others are to be like' }),
  ),
  threshold: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.7,
    description: 'Least similarity, from 0 to 1',
    'x-error': 'Query parameter "threshold" must be a number from 0 to 1',
  }),
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 10,
    'x-error': 'Query parameter "limit" must be a whole number from 1 to 100',
  }),
  tags: Type.Optional(
    Type.Array(Type.String(), { description: 'Repeated or comma-separated; an object must carry all' }),
  ),
  folder: Type.Optional(Type.String({ description: 'Exactly this folder' })),
  mode: Type.Optional(
    Type.Union([Type.Literal('vector'), Type.Literal('hybrid')], {
      description: 'hybrid: exact hits in tags, file name and caption come first',
      'x-error': 'Query parameter "mode" must be "vector" or "hybrid"',
    }),
  ),
});
type SearchQuery = Static<typeof SearchQuery>;

const SearchResult = Type.Object({
  query: Type.String({ description: 'The query as sent' }),
  count: Type.Integer(),
  objects: Type.Array(Type.String()),
  urls: Type.Array(Type.String()),
  thumbnails: Type.Array(Type.String()),
  captions: Type.Array(Type.String()),
  similarities: Type.Array(Type.Number()),
});

type Parts = { database: Database; urls: PublicUrls; find: FindPictures };

export function searchRoute(app: HttpApp, { database, urls, find }: Parts): void {
  app.get(
    '/get/search',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Find pictures by describing them',
        tags: ['Objects'],
        querystring: SearchQuery,
        response: { 200: SearchResult as TSchema },
      },
      // Before the others are looked at: what is missing is told first.
      preValidation: async ({ query }) => requireQuestion(query as Record<string, unknown>),
    },
    async ({ query, caller: { account } }) => {
      const question = questionOf(account.account_id, query);
      assertMayAsk(account);
      const found = await find(question);
      return { query: query.q ?? '', ...resultOf(urls, await withRows(database, account, found)) };
    },
  );
}

function requireQuestion({ q, like }: Record<string, unknown>): void {
  if (like !== undefined && q !== undefined)
    throw new AppError('bad_request', 'Give either "q" or "like", not both');
  if (like === undefined && (typeof q !== 'string' ? q === undefined : isBlank(q)))
    throw new AppError('bad_request', 'Query parameter "q" is required');
}

/** Characters that nobody sees are not a question. */
function isBlank(text: string): boolean {
  return !/[^\s\p{C}\p{M}\p{Z}]/u.test(text);
}

function questionOf(accountId: string, query: SearchQuery): Question {
  const { q, like, threshold, limit, tags, folder, mode } = query;
  return {
    accountId,
    about: like === undefined ? { words: checkedWords(q as string) } : { like },
    threshold,
    limit,
    tags: parseTagList(tags?.join(',')),
    folder: parseFolder(folder),
    hybrid: mode === 'hybrid',
  };
}

function checkedWords(q: string): string {
  const words = q.trim();
  if (Array.from(words).length > maxQuestionCharacters)
    throw new AppError(
      'bad_request',
      `Query parameter "q" can have at most ${maxQuestionCharacters} characters`,
    );
  if (/\p{Cc}/u.test(words))
    throw new AppError('bad_request', 'Query parameter "q" must not contain control characters');
  return words;
}

function assertMayAsk(account: Account): void {
  if (!account.ai_analysis) throw new AppError('analysis_off');
  if (account.ai_provider === 'openai' && account.openai_api_key_sealed === null)
    throw new AppError('ai_key_missing');
}

type Row = Pick<ObjectRow, 'generation' | 'backend' | 'bucket_id' | 'object_id' | 'caption'>;
type FoundRow = { row: Row; similarity: number };

/** What was deleted since it was found is left out. */
async function withRows(
  database: Database,
  account: Account,
  found: readonly FoundPicture[],
): Promise<FoundRow[]> {
  if (found.length === 0) return [];
  const generations = found.map(({ generation }) => generation);
  const rows = await database.read
    .selectFrom('objects')
    .select(['generation', 'backend', 'bucket_id', 'object_id', 'caption'])
    .where('account_id', '=', account.account_id)
    .where('generation', 'in', generations)
    .execute();
  const byGeneration = new Map(rows.map((row) => [row.generation, row]));
  return found.flatMap(({ generation, similarity }) => {
    const row = byGeneration.get(generation);
    return row ? [{ row, similarity }] : [];
  });
}

function resultOf(urls: PublicUrls, found: readonly FoundRow[]): Omit<Static<typeof SearchResult>, 'query'> {
  const objects = found.map(({ row }) => objectUrl(urls, row));
  return {
    count: found.length,
    objects,
    urls: objects.map((url) => `${url}original.webp`),
    thumbnails: objects.map((url) => url + thumbnailName),
    captions: found.map(({ row }) => row.caption ?? ''),
    similarities: found.map(({ similarity }) => similarity),
  };
}
