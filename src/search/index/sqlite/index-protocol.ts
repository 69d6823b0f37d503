// What the index and its thread say to each other.
import type { Space } from '../../providers/ai-provider.ts';
import type { NearestQuery, Neighbour, WordsQuery } from '../picture-index.ts';

export type IndexQuestions = {
  nearest: { ask: NearestQuery; answer: Neighbour[] };
  withWords: { ask: WordsQuery; answer: number[] };
  vectorOf: { ask: { generation: string }; answer: { space: Space; vector: Float32Array } | null };
  count: { ask: { accountId: string; model: string }; answer: number };
};
export type QuestionKind = keyof IndexQuestions;

export type IndexRequest = {
  [Kind in QuestionKind]: { id: number; kind: Kind; ask: IndexQuestions[Kind]['ask'] };
}[QuestionKind];
export type IndexReply = { id: number; answer: unknown } | { id: number; error: string };
export type IndexThreadData = { file: string; maxCodeBytes: number };
