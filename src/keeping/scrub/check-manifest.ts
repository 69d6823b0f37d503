// Checks that the manifest of an object says what its record says, to the last byte.
import { text } from 'node:stream/consumers';
import { manifestJob } from '../../objects/manifests.ts';
import { manifestKey } from '../../objects/object-keys.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { findRecord, reportOf, type ScrubParts } from './scrub-parts.ts';

const looks = 3;

export async function checkManifest(parts: ScrubParts, seen: ObjectRow): Promise<void> {
  const key = manifestKey(seen.bucket_id, seen.generation);
  let detail: string | null = null;
  let object: ObjectRow | undefined = seen;
  // The record may have changed between the look at it and the one at the manifest.
  for (let look = 0; look < looks; look += 1) {
    const stream = await parts.stores[object.backend].get(key);
    detail = stream ? faultOf(await text(stream), object) : 'is gone';
    if (detail === null || (await isOnItsWay(parts, object))) return parts.onFile();
    object = await findRecord(parts, seen.generation);
    if (!object) return;
  }
  parts.onFile();
  const problem = detail === 'is gone' ? ('missing' as const) : ('damaged' as const);
  await reportOf(parts, seen, { kind: 'manifest', problem, key, detail: detail as string }, async () => {
    await parts.database.write((tx) => enqueue(tx, [manifestJob(seen)]));
    return 'will be written anew';
  });
}

function faultOf(manifest: string, object: ObjectRow): string | null {
  if (manifest === JSON.stringify({ tintype: 1, object })) return null;
  let parsed: { tintype?: unknown; object?: Record<string, unknown> };
  try {
    parsed = JSON.parse(manifest) as typeof parsed;
  } catch {
    return 'is not JSON';
  }
  // It may be older than a column, or have them in another order; but what is there must be as it was written.
  const isOurs = parsed.tintype === 1 && parsed.object && JSON.stringify(parsed) === manifest;
  if (!isOurs) return 'is not as it was written';
  const fields = { ...object, ...parsed.object };
  const differing = Object.keys(fields).filter((name) => {
    const ours = (object as Record<string, unknown>)[name];
    const theirs = parsed.object?.[name];
    return ours !== (theirs === undefined && ours === null ? null : theirs);
  });
  return differing.length === 0 ? null : `differs from the record in ${differing.join(', ')}`;
}

async function isOnItsWay({ database }: ScrubParts, object: ObjectRow): Promise<boolean> {
  const { kind, key } = manifestJob(object);
  const job = database.read
    .selectFrom('jobs')
    .select('job_id')
    .where('kind', '=', kind)
    .where('key', '=', key);
  return (await job.where('dead', '=', 0).executeTakeFirst()) !== undefined;
}
