// Who is asking: every route that is not public needs a key, and then in this order the scope, an enabled account and
// room in its request rate. The key is read from the database each time, so that revoking acts at once everywhere.
import type { Database } from '../platform/database/database.ts';
import { AppError, retryAfter } from '../platform/errors.ts';
import type { HttpApp, Scope } from '../platform/http/http-server.ts';
import { hashApiKey, keyIdOf, sameHash } from './api-key.ts';
import { createKeyFinder, type KeyFacts } from './find-key.ts';
import { createKeyUseNotes } from './key-use.ts';
import { limitsOf } from './limits.ts';
import { rateHeaders, type RequestRate } from './request-rate.ts';
import { allows, splitScopes } from './scopes.ts';
import type { Account } from './tables.ts';

export type Caller = { account: Account; keyId: string; scopes: Scope[] };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that is not public. */
    caller: Caller;
  }
}

export type AuthenticateParts = { database: Database; requestRate: RequestRate };

/** To be called before routes are added. */
export function authenticate(app: HttpApp, parts: AuthenticateParts): void {
  const { database, requestRate } = parts;
  const findKey = createKeyFinder(database);
  const noteKeyUse = createKeyUseNotes(database);

  app.decorateRequest('caller');
  app.addHook('onRequest', async (request, reply) => {
    const needed = request.routeOptions.config.scope;
    if (!needed || needed === 'public') return;
    const apiKey = bearerToken(request.headers.authorization);
    const found = apiKey ? await findKey(keyIdOf(apiKey)) : undefined;
    if (!apiKey || !found || !opens(found.key, apiKey, Date.now())) throw unauthorized();
    const { key, account } = found;
    const scopes = splitScopes(key.scopes);
    if (!allows(scopes, needed)) {
      throw new AppError(
        'scope_too_small',
        `This API key does not have the scope "${needed}" this request needs`,
      );
    }
    if (!account.enabled) throw new AppError('account_disabled');
    const perMinute = limitsOf(account).requestsPerMinute;
    if (perMinute !== null) {
      const rate = await requestRate.count(account.account_id, perMinute);
      reply.headers(rateHeaders(rate));
      if (!rate.allowed) throw new AppError('rate_limited', undefined, retryAfter(rate.resetSeconds));
    }
    noteKeyUse(key);
    request.caller = { account, keyId: key.key_id, scopes };
  });
}

function unauthorized(): AppError {
  return new AppError('invalid_api_key', undefined, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(header ?? '')?.[1];
}

function opens(key: KeyFacts, apiKey: string, now: number): boolean {
  if (key.expires_at !== null && key.expires_at <= now) return false;
  const hash = hashApiKey(apiKey);
  if (sameHash(hash, key.hash)) return true;
  return key.previous_hash !== null && (key.previous_until ?? 0) > now && sameHash(hash, key.previous_hash);
}
