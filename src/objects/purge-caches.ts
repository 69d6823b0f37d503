// Caches in front must forget an object that was deleted: every public answer carries its tag, and a job of the deletion's
// own transaction tells the cache, in the words the operator has set, to drop what carries it.
import { callOut } from '../platform/egress/call-out.ts';
import type { Job, JobHandler } from '../platform/jobs/jobs.ts';
import { objectUrl, type PublicUrls } from './object-json.ts';
import type { ObjectRow } from './tables.ts';

type Tagged = Pick<ObjectRow, 'generation'>;
type Purged = { url: string; tag: string };

/** What the operator has set; the texts may hold `{url}` and `{tag}`. */
export type PurgeCall = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
};

/** What a deletion asks of others: of the caches in front, and of whoever made the streams of a film. */
export type ForgetElsewhere = (
  object: Pick<ObjectRow, 'backend' | 'bucket_id' | 'object_id' | 'generation' | 'kind' | 'film'>,
) => Job[];

const kind = 'purge-caches';
const defaultDeadlineMs = 10_000;
/** Back-off ends at ten minutes: most of a day, as the free plans of some CDNs allow only a few calls a minute. */
const maxAttempts = 100;

/** Another one for every upload, so that what follows under the same id is not purged; without the time in it. */
export function cacheTag({ generation }: Tagged): string {
  return generation.slice(12);
}

/** Of a picture that shows another one too, both: it must go with either. Fastly separates them by spaces, others by commas. */
export function cacheTags(header: string, objects: readonly Tagged[]): string {
  const separator = header.toLowerCase() === 'surrogate-key' ? ' ' : ',';
  return objects.map(cacheTag).join(separator);
}

export function forgetInCaches(urls: PublicUrls, call: PurgeCall | null): ForgetElsewhere {
  if (!call) return () => [];
  return (object) => {
    const payload: Purged = { url: objectUrl(urls, object), tag: cacheTag(object) };
    return [{ kind, key: object.generation, payload }];
  };
}

export function purgeCachesHandlers(
  call: PurgeCall | null,
  { deadlineMs = defaultDeadlineMs }: { deadlineMs?: number } = {},
): Record<typeof kind, JobHandler> {
  let failing = false;
  let trying = 0;
  async function run(purged: Purged, { signal }: { signal: AbortSignal }): Promise<void> {
    // Asked for before the setting was taken away.
    if (!call) return;
    // A cache that hangs must not hold every place where jobs run: while it fails, one at a time finds out.
    if (failing && trying > 0) throw new Error('Not tried: the call before is still waiting for the cache');
    trying += 1;
    try {
      const { status } = await callOut({
        ...filledIn(call, purged),
        audience: 'operator',
        deadlineMs,
        signal,
      }).catch((error: Error) => Promise.reject(new Error(`Could not purge the cache: ${error.message}`)));
      if (status < 200 || status > 299) throw new Error(`Could not purge the cache: it answered ${status}`);
      failing = false;
    } catch (error) {
      failing = true;
      throw error;
    } finally {
      trying -= 1;
    }
  }
  return { [kind]: { run, maxAttempts } };
}

function filledIn({ url, method, headers, body }: PurgeCall, purged: Purged): PurgeCall {
  const fill = (text: string, { url: address, tag } = purged): string =>
    text.replaceAll('{url}', address).replaceAll('{tag}', tag);
  return {
    url: fill(url, { ...purged, url: encodeURIComponent(purged.url) }),
    method,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
    body: body === undefined ? undefined : fill(body),
  };
}
