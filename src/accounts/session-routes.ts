// /session/: a page of our own shows a key once and is known by its cookie from then on.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../platform/errors.ts';
import type { HttpApp } from '../platform/http/http-server.ts';
import { unauthorized } from './authenticate.ts';
import type { KeyRecogniser, KnownKey } from './recognise-key.ts';
import { isFromOurPage, type Sessions } from './sessions.ts';
import { splitScopes } from './scopes.ts';
import { toIsoTime } from './units.ts';

const config = { scope: 'public' } as const;
const tags = ['Session'];
const SignInBody = Type.Object(
  { api_key: Type.String({ maxLength: 200, 'x-error': 'Field "api_key" must be an API key' }) },
  { additionalProperties: false },
);
const SessionRecord = Type.Object({
  key_id: Type.String(),
  scopes: Type.Array(Type.Enum(['read', 'write', 'account', 'operator'])),
  expires_at: Type.String({
    format: 'date-time',
    description: 'Later with every look at it, until 30 days after signing in',
  }),
});
const Ended = Type.Object({ status: Type.String() });
const onlyFor =
  'For pages of the same origin, which send the header `X-Tintype-Page`; applications send their key instead.';
const signingIn = {
  summary: 'Sign in with a key',
  description: onlyFor,
  tags,
  body: SignInBody,
  response: { 200: SessionRecord },
};
const asking = { summary: 'Who is signed in', description: onlyFor, tags, response: { 200: SessionRecord } };
const signingOut = { summary: 'Sign out', description: onlyFor, tags, response: { 200: Ended } };

export function sessionRoutes(
  app: HttpApp,
  { sessions, recogniser }: { sessions: Sessions; recogniser: KeyRecogniser },
): void {
  const begin = (reply: FastifyReply, known: KnownKey | undefined, signedInAt?: number) => {
    if (!known) throw unauthorized();
    if (!known.account.enabled) throw new AppError('account_disabled');
    const { key, secretHash } = known;
    const { cookie, expiresAt } = sessions.begin(key.key_id, secretHash, signedInAt);
    reply.header('Set-Cookie', cookie).header('Cache-Control', 'private, no-store');
    return { key_id: key.key_id, scopes: splitScopes(key.scopes), expires_at: toIsoTime(expiresAt) };
  };

  app.post('/session/', { config, schema: signingIn }, async ({ headers, body }, reply) => {
    assertOurPage(headers);
    return begin(reply, await recogniser.byKey(body.api_key));
  });

  app.get('/session/', { config, schema: asking }, async ({ headers }, reply) => {
    const session = sessions.read(headers);
    return begin(reply, session && (await recogniser.bySession(session)), session?.signedInAt);
  });

  app.delete('/session/', { config, schema: signingOut }, async ({ headers }, reply) => {
    assertOurPage(headers);
    reply.header('Set-Cookie', sessions.ended).header('Cache-Control', 'private, no-store');
    return { status: 'success' };
  });
}

/** Another site must not be able to sign its visitors in or out here. */
function assertOurPage(headers: IncomingHttpHeaders): void {
  if (isFromOurPage(headers)) return;
  throw new AppError(
    'bad_request',
    'Send the header "X-Tintype-Page: 1" from a page of this address; applications send "Authorization: Bearer <key>" instead',
  );
}
