// Which stored files are written once and for ever, and which are written anew in place.
import { parseObjectKey } from '../../objects/object-keys.ts';

/** Manifests, and the indexes of streams: small, and of any content at the same size. */
export function mayChange(key: string): boolean {
  const kind = parseObjectKey(key)?.kind;
  return kind === 'manifest' || kind === 'bucket-manifest' || key.endsWith('.json') || key.endsWith('.jpg');
}
