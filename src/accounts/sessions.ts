// Signed in: pages of our own keep a cookie that no script can read, with a sealed note of the key that was shown. It says
// whose key it was and which secret, but not the secret, and is worth nothing once that key is revoked, rotated or expired.
import type { IncomingHttpHeaders } from 'node:http';
import type { SecretBox } from '../platform/secrets.ts';
import { sameHash } from './api-key.ts';

/** Sent by our pages with every request. Another site's page cannot add it without asking first, and is refused then. */
const proofOfPage = 'x-tintype-page';
const plainName = 'tintype_session';
/** Browsers take a cookie of such a name by https and from this very host alone: no neighbour in the domain can plant one. */
const secureName = `__Host-${plainName}`;
const dayMs = 24 * 3_600_000;
const unseenDays = 7;
/** After signing in, however often it is looked at. */
const longestDays = 30;
/** Enough of a hash to tell two secrets of a key apart. */
const secretMarkLength = 24;
const purpose = 'session';

export type Session = { readonly keyId: string; readonly secretMark: string; readonly signedInAt: number };

export type Sessions = {
  /** A session that goes on keeps the time at which it was signed in. */
  begin(keyId: string, secretHash: string, signedInAt?: number): { cookie: string; expiresAt: number };
  /** Undefined unless it is a request of our own page, in time. Whether the key is still good is another question. */
  read(headers: IncomingHttpHeaders): Session | undefined;
  /** A cookie that takes the place of the session's. */
  readonly ended: string;
};

export function createSessions(secretBox: SecretBox, options: { secure: boolean }): Sessions {
  const [name, security] = options.secure ? [secureName, '; Secure'] : [plainName, ''];
  const cookie = (value: string, seconds: number): string =>
    `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${security}`;
  return {
    ended: cookie('', 0),
    begin(keyId, secretHash, signedInAt = Date.now()) {
      const now = Date.now();
      const expiresAt = Math.min(now + unseenDays * dayMs, signedInAt + longestDays * dayMs);
      const note = [purpose, keyId, markOf(secretHash), expiresAt, signedInAt].join(' ');
      return { cookie: cookie(secretBox.seal(note), Math.floor((expiresAt - now) / 1000)), expiresAt };
    },
    read(headers) {
      const sealed = isFromOurPage(headers) ? cookieOf(headers.cookie, name) : undefined;
      if (sealed === undefined) return undefined;
      const [kind, keyId, secretMark, expiresAt, signedInAt] = opened(secretBox, sealed).split(' ');
      if (kind !== purpose || !keyId || !secretMark || !signedInAt) return undefined;
      return Number(expiresAt) > Date.now()
        ? { keyId, secretMark, signedInAt: Number(signedInAt) }
        : undefined;
    },
  };
}

/** Whether it was begun with the secret of this hash. */
export function isOfSecret(session: Session, secretHash: string): boolean {
  return sameHash(session.secretMark, markOf(secretHash));
}

/** Browsers say where a request comes from; what is not a browser has no cookie it was not given. */
export function isFromOurPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return headers[proofOfPage] !== undefined && (site === undefined || site === 'same-origin');
}

function markOf(secretHash: string): string {
  return secretHash.slice(0, secretMarkLength);
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  return new RegExp(`(?:^|;\\s*)${name}=([\\w.-]{1,1000})`).exec(header ?? '')?.[1];
}

function opened(secretBox: SecretBox, sealed: string): string {
  try {
    return secretBox.open(sealed);
  } catch {
    return '';
  }
}
