// GET /get/search: checks the question and whether the account may ask it. This version has no vectors to search yet.
import { type TSchema, Type } from 'typebox';
import { AppError } from '../platform/errors.ts';
import type { HttpApp } from '../platform/http/http-server.ts';

const maxQuestionCharacters = 500;

const SearchQuery = Type.Object({
  q: Type.String({
    pattern: '\\S',
    description: 'What to look for, in plain language',
    'x-error': 'Query parameter "q" is required',
  }),
  threshold: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.7,
    'x-error': 'Query parameter "threshold" must be a number from 0 to 1',
  }),
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 10,
    'x-error': 'Query parameter "limit" must be a whole number from 1 to 100',
  }),
});

const SearchResult = Type.Object({
  query: Type.String(),
  count: Type.Integer(),
  objects: Type.Array(Type.String()),
  urls: Type.Array(Type.String()),
  thumbnails: Type.Array(Type.String()),
  captions: Type.Array(Type.String()),
  similarities: Type.Array(Type.Number()),
});

export function searchRoute(app: HttpApp): void {
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
    },
    async (request) => {
      const question = request.query.q.trim();
      if (question.length > maxQuestionCharacters) {
        throw new AppError(
          'bad_request',
          `Query parameter "q" can have at most ${maxQuestionCharacters} characters`,
        );
      }
      const { account } = request.caller;
      if (!account.ai_analysis) throw new AppError('analysis_off');
      if (account.ai_provider === 'openai' && account.openai_api_key_sealed === null)
        throw new AppError('ai_key_missing');
      throw new AppError('not_implemented', 'Search is not available in this version');
    },
  );
}
