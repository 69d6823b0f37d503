// POST /providers/<name>/webhook: a provider says that something happened to a film. Only that is taken from it; what happened
// is asked for with our own credentials.
import type { FastifyRequest } from 'fastify';
import { Lru } from '../lib/lru.ts';
import { AppError } from '../platform/errors.ts';
import type { HttpApp } from '../platform/http/http-server.ts';
import { checkSignature } from './elsewhere/webhook-signature.ts';

export type ProviderWebhookParts = {
  /** Without its secret a provider's address does not exist. */
  secrets: { mux?: string | undefined; cloudflare?: string | undefined };
  /** Has the film of this generation looked at now; one that is not known is none of its business. */
  wake: (generation: string) => Promise<void>;
};

const providers = {
  mux: {
    header: 'mux-signature',
    names: { time: 't', signature: 'v1' },
    generationIn: (event: Json) =>
      String(event['type']).startsWith('video.asset.') ? partOf(event['data'])['passthrough'] : undefined,
  },
  cloudflare: {
    header: 'webhook-signature',
    names: { time: 'time', signature: 'sig1' },
    generationIn: (video: Json) => video['creator'],
  },
} as const;
type ProviderName = keyof typeof providers;
type Json = Record<string, unknown>;

const maxBodyBytes = 256 * 1024;
const rememberedCalls = 1000;
const generationPattern = /^[\w-]{1,64}$/;

/** In a scope of its own: the signature is over the bytes as they came. */
export async function providerWebhookRoutes(app: HttpApp, parts: ProviderWebhookParts): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const name of Object.keys(providers) as ProviderName[]) addRoute(scope as HttpApp, name, parts);
  });
}

function addRoute(app: HttpApp, name: ProviderName, { secrets, wake }: ProviderWebhookParts): void {
  const { header, names, generationIn } = providers[name];
  const secret = secrets[name];
  const seen = new Lru<string, true>(rememberedCalls);
  app.post(
    `/providers/${name}/webhook`,
    {
      config: { scope: 'public' },
      bodyLimit: maxBodyBytes,
      schema: { hide: true } as object,
      onRequest: async () => {
        if (!secret) throw new AppError('not_found');
      },
    },
    async (request: FastifyRequest) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const given = request.headers[header];
      const call = secret
        ? checkSignature({ header: typeof given === 'string' ? given : undefined, names, body, secret })
        : null;
      if (!call) throw new AppError('bad_request', 'The signature of this call is missing, wrong or too old');
      // The same call twice is theirs by mistake or somebody else's by intent; neither needs a second look.
      if (seen.get(call)) return {};
      const generation = generationIn(partOf(parsed(body)));
      if (typeof generation === 'string' && generationPattern.test(generation)) await wake(generation);
      seen.set(call, true);
      return {};
    },
  );
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new AppError('invalid_json', undefined, { cause });
  }
}

function partOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
