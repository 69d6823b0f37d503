// The settings of who makes streams of films, and what they must be together.
import { oneOf, optional, secret, setting, visibleAscii, webAddress, Wrong } from './setting-kinds.ts';

export const videoProviderSettings = {
  VIDEO_PROVIDER: setting(
    oneOf('local', 'mux', 'cloudflare'),
    'local',
    'who makes streams of films: `local` (this machine), `mux` or `cloudflare`; see [video providers](video-providers.md)',
  ),
  MUX_TOKEN_ID: optional(visibleAscii(1, 200), 'access token of Mux: its id', 'none'),
  MUX_TOKEN_SECRET: secret(optional(visibleAscii(8, 500), 'access token of Mux: its secret', 'none')),
  MUX_WEBHOOK_SECRET: secret(
    optional(
      visibleAscii(8, 500),
      'signing secret of the webhook at Mux',
      'none: Mux is asked from time to time',
    ),
  ),
  MUX_BASE_URL: setting(webAddress, 'https://api.mux.com', 'another address of Mux’s API, such as a proxy'),
  CLOUDFLARE_ACCOUNT_ID: optional(hexDigits, 'account at Cloudflare whose Stream is used', 'none'),
  CLOUDFLARE_API_TOKEN: secret(
    optional(visibleAscii(8, 500), 'API token of Cloudflare with the permission Stream Write', 'none'),
  ),
  CLOUDFLARE_WEBHOOK_SECRET: secret(
    optional(
      visibleAscii(8, 500),
      'secret of the webhook at Cloudflare Stream',
      'none: it is asked from time to time',
    ),
  ),
  CLOUDFLARE_BASE_URL: setting(
    webAddress,
    'https://api.cloudflare.com/client/v4',
    'another address of Cloudflare’s API, such as a proxy',
  ),
} as const;

type Name = keyof typeof videoProviderSettings;
type Values = { [Key in Name]: ReturnType<(typeof videoProviderSettings)[Key]['read']> };
type Addresses = {
  BASE_URL?: string | undefined;
  FILES_URL?: string | undefined;
  STORAGE_URL?: string | undefined;
};

const credentials = {
  mux: ['MUX_TOKEN_ID', 'MUX_TOKEN_SECRET'],
  cloudflare: ['CLOUDFLARE_ACCOUNT_ID', 'CLOUDFLARE_API_TOKEN'],
} as const;

/** Those of a provider that is not chosen may stay: films that are still there can then be deleted there. */
export function videoProviderConflicts(values: Values & Addresses): string[] {
  const { VIDEO_PROVIDER: chosen, BASE_URL, FILES_URL, STORAGE_URL } = values;
  const conflicts = (['mux', 'cloudflare'] as const).flatMap((provider) => {
    const webhookSecret = `${provider.toUpperCase() as Uppercase<typeof provider>}_WEBHOOK_SECRET` as const;
    const missing = credentials[provider].filter((name) => !values[name]);
    if (provider === chosen)
      return missing.map((name) => `${name} must be set for VIDEO_PROVIDER=${provider}`);
    return values[webhookSecret]
      ? missing.map((name) => `${name} must be set for ${webhookSecret} to be used`)
      : [];
  });
  if (chosen !== 'local' && !BASE_URL && !(FILES_URL && STORAGE_URL))
    conflicts.push(`BASE_URL must be set for VIDEO_PROVIDER=${chosen}, which fetches films from there`);
  return conflicts;
}

/** The options of each provider whose credentials are known; null for the others. */
export function videoProviderOptions(values: Values) {
  const { MUX_TOKEN_ID, MUX_TOKEN_SECRET, CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN } = values;
  return {
    mux:
      MUX_TOKEN_ID && MUX_TOKEN_SECRET
        ? { tokenId: MUX_TOKEN_ID, tokenSecret: MUX_TOKEN_SECRET, baseUrl: values.MUX_BASE_URL }
        : null,
    cloudflare:
      CLOUDFLARE_ACCOUNT_ID && CLOUDFLARE_API_TOKEN
        ? {
            accountId: CLOUDFLARE_ACCOUNT_ID,
            apiToken: CLOUDFLARE_API_TOKEN,
            baseUrl: values.CLOUDFLARE_BASE_URL,
          }
        : null,
  };
}

function hexDigits(text: string): string {
  if (!/^[0-9a-f]{32}$/i.test(text))
    throw new Wrong('must be 32 hex digits, as the Cloudflare dashboard shows it');
  return text;
}
