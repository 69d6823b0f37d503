// Pictures by their words. Texts are taken apart here, not by PostgreSQL, so that the same words are found as in the other index.
// The account is one of the lexemes: one look into the index gives what is of the account and has the words.
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../platform/database/database.ts';
import { indexedText } from '../indexed-text.ts';
import type { WordsQuery } from '../picture-index.ts';
import { countAmong, isOneOfFew, isOneOfMany } from './among-condition.ts';

/** PostgreSQL keeps no higher position of a word. */
const mostPositions = 16_383;
/** A longer word is told by its hash: a lexeme may have 2 KB. */
const longestLexeme = 500;
/** No question has a longer phrase. */
const longestPhrase = 250;
const fewUpTo = 20_000;

/** The lexemes of a text in its order. */
export function lexemesOf(text: string): string[] {
  const words = indexedText(text).match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];
  return words.slice(0, mostPositions).map((word) => shortened(folded(word)));
}

/** Upper and lower case are one, letter by letter: "ß" is no "ss", and a "σ" at the end no other letter. */
function folded(word: string): string {
  return Array.from(word, (letter) => {
    const upper = letter.toUpperCase();
    return (upper.length === letter.length ? upper : letter).toLowerCase();
  }).join('');
}

function shortened(lexeme: string): string {
  if (lexeme.length <= longestLexeme) return lexeme;
  return createHash('sha256').update(lexeme).digest('hex');
}

/** As PostgreSQL reads a `tsvector`. */
export function lexemesText(accountId: string, text: string): string {
  const words = lexemesOf(text).map((lexeme, at) => `${quoted(lexeme)}:${at + 1}`);
  return [quoted(accountLexeme(accountId)), ...words].join(' ');
}

/** As it reads a `tsquery`; null when there is nothing to look for, or nothing that could be found. */
function questionText(accountId: string, words: readonly string[]): string | null {
  const phrases = words.map(lexemesOf).filter((phrase) => phrase.length > 0);
  if (phrases.length === 0 || phrases.some((phrase) => phrase.length > longestPhrase)) return null;
  const alternatives = new Set(phrases.map((phrase) => `(${phrase.map(quoted).join(' <-> ')})`));
  return [quoted(accountLexeme(accountId)), ...alternatives].join(' & ');
}

/** No word has a colon inside. */
function accountLexeme(accountId: string): string {
  return `account:${accountId}`;
}

function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll(/['\\]/g, '$&$&')}'`;
}

export async function withWords(database: Database, query: WordsQuery): Promise<number[]> {
  const { accountId, words, limit, among } = query;
  const question = questionText(accountId, words);
  if (question === null || among?.size === 0) return [];
  const rows = await sql<{ seq: number }>`select seq from words
    where lexemes @@ cast(${question} as tsquery) and account_id = ${accountId} and ${conditionOf(query)}
    order by seq desc limit ${limit}`.execute(database.read);
  return rows.rows.map(({ seq }) => seq);
}

function conditionOf({ among }: WordsQuery): RawBuilder<boolean> {
  if (among === null) return sql`true`;
  return countAmong(among) <= fewUpTo ? isOneOfFew(among) : isOneOfMany(among);
}
