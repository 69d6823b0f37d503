// One-time tokens: each lets whoever holds it, a browser say, make one upload into the account that asked for it, on the
// terms that were fixed then. Only a hash is stored, and it is spent in the transaction that commits the object.
import { hash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { OpenToken } from '../../accounts/authenticate.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Statement, statement } from '../../platform/database/statement.ts';
import { AppError } from '../../platform/errors.ts';
import type { UploadFields } from '../new-object-row.ts';
import type { UploadLimits } from './receive-file.ts';
import type { UploadToken } from '../tables.ts';

export const tokenPrefix = 'ttu_';
const secretBytes = 32;

export type TokenTerms = Pick<UploadToken, 'folder' | 'tags' | 'object_id' | 'max_bytes' | 'kind'>;
type NewToken = TokenTerms & Pick<UploadToken, 'account_id' | 'key_id'> & { lifeMs: number };

export async function createToken(
  database: Database,
  { lifeMs, ...terms }: NewToken,
): Promise<{ token: string; expiresAt: number }> {
  const token = tokenPrefix + randomBytes(secretBytes).toString('base64url');
  const now = database.now();
  const row = {
    token_hash: hash('sha256', token),
    spent_at: null,
    created_at: now,
    expires_at: now + lifeMs,
  };
  await database.write((tx) =>
    tx
      .insertInto('upload_tokens')
      .values({ ...terms, ...row })
      .execute(),
  );
  return { token, expiresAt: row.expires_at };
}

/** An upload that was begun in time may go on, and be asked about, when the token has expired or is spent. */
export function createTokenOpener(database: Database): OpenToken {
  return async (token, use) => {
    if (!token.startsWith(tokenPrefix)) return undefined;
    const found = await findToken(database, hash('sha256', token));
    if (!found || (use === 'begin' && !isFresh(database, found))) return undefined;
    return { keyId: found.key_id, tokenHash: found.token_hash };
  };
}

function isFresh(database: Database, { spent_at: spentAt, expires_at: expiresAt }: UploadToken): boolean {
  return spentAt === null && expiresAt > database.now();
}

export function findToken(database: Database, tokenHash: string): Promise<UploadToken | undefined> {
  return database.read
    .selectFrom('upload_tokens')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}

/** The terms a caller is bound to; null for one who came with a key. */
export async function termsOf(
  database: Database,
  { tokenHash }: { tokenHash?: string | undefined },
): Promise<UploadToken | null> {
  if (tokenHash === undefined) return null;
  const found = await findToken(database, tokenHash);
  if (!found) throw new AppError('upload_token_spent');
  return found;
}

/** For the transaction of the object: of two that race, one is undone. */
export function spendToken(database: Database, token: UploadToken | null): Statement[] {
  if (!token) return [];
  const values = { token_hash: token.token_hash, spent_at: database.now() };
  return [spend(values, () => new AppError('upload_token_spent'))];
}

const spend = statement<'token_hash' | 'spent_at'>(
  (p) => sql`update upload_tokens set spent_at = ${p('spent_at')}
    where token_hash = ${p('token_hash')} and spent_at is null`,
);

/** What the token fixes stands; who sends something else with the file is told. */
export function fieldsUnder(token: TokenTerms | null, fields: UploadFields): UploadFields {
  if (!token) return fields;
  const tags = token.tags === null ? null : (JSON.parse(token.tags) as string[]);
  if (token.folder !== null && fields.folder !== null && fields.folder !== token.folder)
    throw isFixed('folder');
  if (token.object_id !== null && fields.objectId !== null && fields.objectId !== token.object_id)
    throw isFixed('object');
  if (tags && fields.tags.length > 0 && JSON.stringify(fields.tags) !== token.tags) throw isFixed('tags');
  return {
    ...fields,
    folder: token.folder ?? fields.folder,
    objectId: token.object_id ?? fields.objectId,
    tags: tags ?? fields.tags,
  };
}

function isFixed(name: string): AppError {
  return new AppError('bad_request', `The upload token fixes "${name}"; leave it out, or send the same`);
}

export function limitsUnder(token: TokenTerms | null, limits: UploadLimits): UploadLimits {
  const maxBytes = token?.max_bytes ?? null;
  if (maxBytes === null) return limits;
  const smaller = (limit: number | null): number => Math.min(limit ?? maxBytes, maxBytes);
  return { maxImageBytes: smaller(limits.maxImageBytes), maxVideoBytes: smaller(limits.maxVideoBytes) };
}

export function assertKindUnder(token: TokenTerms | null, kind: 'image' | 'video'): void {
  if (!token?.kind || token.kind === kind) return;
  throw new AppError('unsupported_type', `This upload token is for ${token.kind}s only`);
}
