// Who is asking: every route that is not public needs a key, or a session begun with one, and then in this order the
// scope, an enabled account and room in its request rate. The key is read from the database each time, or held in the
// transaction of what it asks for, so that revoking acts at once everywhere.
import type { FastifyRequest } from 'fastify';
import type { Database } from '../platform/database/database.ts';
import { AppError, retryAfter } from '../platform/errors.ts';
import type { HttpApp, Scope } from '../platform/http/http-server.ts';
import { type HeldKey, holdKey } from './hold-key.ts';
import { createKeyUseNotes } from './key-use.ts';
import { limitsOf } from './limits.ts';
import type { KeyRecogniser, KnownKey } from './recognise-key.ts';
import { rateHeaders, type RequestRate } from './request-rate.ts';
import { allows, splitScopes } from './scopes.ts';
import type { Sessions } from './sessions.ts';
import type { Account } from './tables.ts';

export type Caller = {
  account: Account;
  keyId: string;
  scopes: Scope[];
  /** Set when the request came with a one-time token of that key instead. */
  tokenHash?: string;
  /** Set on routes that hold the key: it may be only remembered, so nothing is done or told without holding it. */
  held?: HeldKey;
};

/** Whether a route begins an upload, for which a one-time token must be fresh, or goes on with one. */
export type TokenUse = 'begin' | 'continue';
/** The key a token stands for, while it is good for that. */
export type OpenToken = (
  token: string,
  use: TokenUse,
) => Promise<{ keyId: string; tokenHash: string } | undefined>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that is not public. */
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** Where one-time tokens are taken as well as keys. */
    uploadTokens?: TokenUse;
    /** The route holds the key it came with when it takes effect, and reads it anew where it answers without. */
    holdsKey?: boolean;
  }
}

export type AuthenticateParts = {
  database: Database;
  recogniser: KeyRecogniser;
  requestRate: RequestRate;
  openToken?: OpenToken;
  sessions?: Sessions;
};

/** To be called before routes are added. */
export function authenticate(app: HttpApp, parts: AuthenticateParts): void {
  const { database, requestRate } = parts;
  const noteKeyUse = createKeyUseNotes(database);

  app.decorateRequest('caller');
  app.addHook('onRequest', async (request, reply) => {
    const { scope: needed } = request.routeOptions.config;
    if (!needed || needed === 'public') return;
    // What a cookie opens looks to a cache like what anybody may see.
    if (request.headers.authorization === undefined) reply.header('Cache-Control', 'private, no-store');
    const known = await whoAsks(request, parts);
    const { key, account, tokenHash, held } = judge(known, needed);
    const perMinute = limitsOf(account).requestsPerMinute;
    if (perMinute !== null) {
      const rate = await requestRate.count(account.account_id, perMinute);
      reply.headers(rateHeaders(rate));
      if (!rate.allowed) throw new AppError('rate_limited', undefined, retryAfter(rate.resetSeconds));
    }
    noteKeyUse(key);
    request.caller = {
      account,
      keyId: key.key_id,
      scopes: splitScopes(key.scopes),
      ...(tokenHash === undefined ? {} : { tokenHash }),
      ...(held === undefined ? {} : { held }),
    };
  });
}

/** Who asks, if they may. */
function judge<Known extends KnownKey>(known: Known | undefined, needed: Scope): Known {
  if (!known) throw unauthorized();
  if (!allows(splitScopes(known.key.scopes), needed)) {
    throw new AppError(
      'scope_too_small',
      `This API key does not have the scope "${needed}" this request needs`,
    );
  }
  if (!known.account.enabled) throw new AppError('account_disabled');
  return known;
}

type Asking = KnownKey & Pick<Caller, 'tokenHash' | 'held'>;

async function whoAsks(
  request: FastifyRequest,
  { recogniser, openToken, sessions }: AuthenticateParts,
): Promise<Asking | undefined> {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    const session = sessions?.read(request.headers);
    return session && recogniser.bySession(session);
  }
  const shown = bearerToken(authorization);
  if (shown === undefined) return undefined;
  const { uploadTokens, holdsKey, scope } = request.routeOptions.config;
  const token = uploadTokens && (await openToken?.(shown, uploadTokens));
  if (!token) return holdsKey ? toHold(recogniser, shown, scope as Scope) : recogniser.byKey(shown);
  const known = await recogniser.byId(token.keyId);
  return known && { ...known, tokenHash: token.tokenHash };
}

async function toHold(recogniser: KeyRecogniser, shown: string, needed: Scope): Promise<Asking | undefined> {
  const known = await recogniser.byKeyToHold(shown);
  if (!known) return undefined;
  const { key, account, secretHash } = known;
  const held: HeldKey = {
    hold: () => holdKey({ accountId: account.account_id, keyId: key.key_id, secretHash }),
    judgeAgain: async () => void judge(await recogniser.byKey(shown), needed),
  };
  return { ...known, held };
}

export function unauthorized(): AppError {
  return new AppError('invalid_api_key', undefined, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(header ?? '')?.[1];
}
