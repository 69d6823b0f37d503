// Lets an nginx in front send a large original from the disk they share: we judge the request and name the file in
// `X-Accel-Redirect`, nginx sends it. What nginx would judge otherwise than we do stays with us.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { originalKey } from '../objects/object-keys.ts';
import type { Stores } from '../objects/stores.ts';
import type { Range } from './byte-range.ts';
import type { ObjectFacts } from './object-facts.ts';

/** The internal address of an original; null when it is not on this machine's disk. */
export type NameForNginx = (
  facts: Pick<ObjectFacts, 'backend' | 'bucket_id' | 'generation'>,
) => string | null;

export function nameForNginx(prefix: string | undefined, stores: Stores): NameForNginx {
  if (prefix === undefined) return () => null;
  return ({ backend, bucket_id: bucketId, generation }) => {
    const key = originalKey(bucketId, generation);
    return stores[backend].pathOnDisk(key) === null ? null : `${prefix}/${backend}/${key}`;
  };
}

/** nginx compares these with a tag and a time of its own. */
const ownConditions = ['if-range', 'if-match', 'if-modified-since', 'if-unmodified-since'] as const;
/** Where nginx and we agree; it answers 416 to some of what we answer with everything. */
const plainRange = /^bytes=\d{0,15}-\d{0,15}$/i;

export function mayHandOver({ headers }: IncomingMessage, range: Range | null): boolean {
  if (ownConditions.some((name) => name in headers)) return false;
  // nginx asks so when it could not read the file: then we send it, or say what is wrong.
  if ('x-accel-redirect' in headers) return false;
  return headers.range === undefined || (range !== null && plainRange.test(headers.range));
}

/**
 * nginx would keep these of our answer whatever becomes of the file, also for the error that follows when it cannot be
 * read. Under other names its configuration takes them only for a file that is sent.
 */
const keptByNginx = new Set(['Cache-Control', 'Content-Disposition']);

export function handOver(
  response: ServerResponse,
  headers: Record<string, string | number>,
  internalAddress: string,
): void {
  const { 'Content-Range': part, 'Accept-Ranges': ranges, ...rest } = headers;
  const answer: Record<string, string | number> = { 'X-Accel-Redirect': internalAddress };
  for (const name in rest) answer[keptByNginx.has(name) ? `X-Accel-${name}` : name] = rest[name] as string;
  // With a whole file nginx says it itself, and would then say it twice.
  if (part !== undefined && ranges !== undefined) answer['X-Accel-Accept-Ranges'] = ranges;
  answer['Content-Length'] = 0;
  response.writeHead(200, answer).end();
}
