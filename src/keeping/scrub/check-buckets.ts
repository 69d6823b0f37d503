// Checks the manifests of buckets, of which each store has one: by their own hash, and against what they must tell.
import { text } from 'node:stream/consumers';
import { accountChanged } from '../../accounts/account-changed.ts';
import type { Account } from '../../accounts/tables.ts';
import { type BucketManifest, printBucketManifest } from '../../objects/manifests.ts';
import { bucketManifestKey } from '../../objects/object-keys.ts';
import type { Stores } from '../../objects/stores.ts';
import type { ScrubParts } from './scrub-parts.ts';

/** What changes with every upload or request, and is counted anew by a rebuild. */
const changesAlone = new Set([
  'next_seq',
  'storage_warned',
  'storage_used_bytes',
  'video_seconds_used',
  'object_count',
  'ai_error',
  'last_used_at',
]);

export async function checkBuckets(parts: ScrubParts): Promise<void> {
  const accounts = await parts.database.read.selectFrom('accounts').selectAll().execute();
  for (const account of accounts)
    for (const backend of Object.keys(parts.stores) as (keyof Stores)[])
      if (parts.only === null || parts.only === backend) await checkBucket(parts, backend, account);
}

async function checkBucket(parts: ScrubParts, backend: keyof Stores, account: Account): Promise<void> {
  const { database } = parts;
  const { account_id: accountId, bucket_id: bucketId } = account;
  const key = bucketManifestKey(bucketId);
  const stream = await parts.stores[backend].get(key);
  const detail = stream ? await faultOf(parts, await text(stream), account) : 'is gone';
  parts.onFile();
  if (detail === null || (await isOnItsWay(parts, bucketId))) return;
  if (parts.repair) await database.write((tx) => accountChanged(database, tx, bucketId));
  parts.report({
    kind: 'bucket_manifest',
    problem: stream ? 'damaged' : 'missing',
    where: `${backend}:${key}`,
    detail,
    account_id: accountId,
    repair: parts.repair ? 'will be written anew' : null,
  });
}

async function faultOf({ database }: ScrubParts, json: string, account: Account): Promise<string | null> {
  let manifest: BucketManifest;
  try {
    manifest = JSON.parse(json) as BucketManifest;
  } catch {
    return 'is not JSON';
  }
  const isAsWritten = manifest.sha256
    ? printBucketManifest(manifest) === json
    : JSON.stringify(manifest) === json;
  if (!isAsWritten) return 'is not as it was written';
  const { account_id: accountId } = account;
  const keys = await database.read
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .execute();
  const webhooks = await database.read
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', accountId)
    .execute();
  const differing = [
    ['account', [manifest.account], [account]],
    ['keys', manifest.keys, keys],
    ['webhooks', manifest.webhooks, webhooks],
  ] as const;
  const names = differing
    .filter(([, theirs, ours]) => lasting(theirs) !== lasting(ours))
    .map(([name]) => name);
  return names.length === 0 ? null : `differs from the records in ${names.join(', ')}`;
}

function lasting(rows: readonly object[] | undefined): string {
  const kept = (rows ?? []).map((row) =>
    JSON.stringify(
      Object.entries(row)
        .filter(([name, value]) => !changesAlone.has(name) && value !== null)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  );
  return kept.sort().join('\n');
}

async function isOnItsWay({ database }: ScrubParts, bucketId: string): Promise<boolean> {
  const jobs = database.read.selectFrom('jobs').select('job_id').where('kind', '=', 'bucket-manifest');
  return (await jobs.where('key', '=', bucketId).where('dead', '=', 0).executeTakeFirst()) !== undefined;
}
