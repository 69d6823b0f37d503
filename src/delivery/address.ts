// Takes public addresses apart: which backend, bucket, object and rendition a request means. Pure.
import type { StorageBackend } from '../accounts/tables.ts';

export type PublicAddress = {
  backend: StorageBackend;
  bucketId: string;
  objectId: string;
  rendition: string;
};
export type AddressMatch = PublicAddress | 'no object' | 'not ours';
type Mount = { backend: StorageBackend; host: string | null; prefix: string };

/** Only the streams of films have files further down. */
const addressPattern =
  /^([0-9a-f]{16})\/([A-Za-z0-9][A-Za-z0-9._-]{0,127})\/([^/]{1,2000}|stream\/[0-9a-f]{12}\/[a-z0-9/._-]{1,100})$/;

/**
 * A file address with a host of its own serves nothing but objects there. One with a path is also known by that path on
 * any host, so that a CDN may ask for it under the origin's name.
 */
export function createAddressMatcher(urls: Record<StorageBackend | 'base', string>) {
  const baseHost = new URL(urls.base).host;
  const mounts = (['files', 'storage'] as const).map((backend): Mount => {
    const { host, pathname } = new URL(urls[backend]);
    return { backend, host: host === baseHost ? null : host, prefix: pathname.replace(/\/*$/, '/') };
  });

  return function match(host: string | undefined, path: string): AddressMatch {
    const asked = host?.toLowerCase();
    const byHost = mounts.filter((mount) => mount.host !== null && mount.host === asked);
    const byPath = mounts.filter((mount) => mount.host === null || mount.prefix !== '/');
    let ours = byHost.length > 0;
    for (const { backend, prefix } of [...byHost, ...byPath]) {
      if (!path.startsWith(prefix)) continue;
      const address = parse(path.slice(prefix.length));
      if (address) return { backend, ...address };
      // At the root of the API's own host, what names no object is the API's.
      ours ||= prefix !== '/';
    }
    return ours ? 'no object' : 'not ours';
  };
}

function parse(rest: string): Omit<PublicAddress, 'backend'> | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(rest);
  } catch {
    return null;
  }
  const [, bucketId, objectId, rendition] = addressPattern.exec(decoded) ?? [];
  return bucketId && objectId && rendition ? { bucketId, objectId, rendition } : null;
}
