// The endpoints of an account: made, listed, removed, given a new secret. A secret leaves here once and is stored sealed.
import { randomBytes } from 'node:crypto';
import type { Database, Tx } from '../platform/database/database.ts';
import { lockName } from '../platform/database/locking-rows.ts';
import { assertPublicAddress } from '../platform/egress/public-address.ts';
import { AppError } from '../platform/errors.ts';
import { randomHex } from '../platform/random.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { defaultEventTypes, type EventType, joinTypes } from './event-types.ts';
import type { Webhook } from './tables.ts';

export const maxEndpoints = 20;
const previousSecretMs = 24 * 3_600_000;

export type EndpointParts = {
  database: Database;
  secretBox: SecretBox;
  allowPrivate: boolean;
  /** Runs in the transaction that changes an endpoint. */
  endpointsChanged: (tx: Tx, accountId: string) => Promise<void>;
};
export type MadeEndpoint = { endpoint: Webhook; secret: string };

export async function createEndpoint(
  { database, secretBox, allowPrivate, endpointsChanged }: EndpointParts,
  accountId: string,
  { url, types = defaultEventTypes }: { url: string; types?: readonly EventType[] | undefined },
): Promise<MadeEndpoint> {
  assertPublicAddress(url, { allowPrivate });
  const made = newEndpoint(secretBox, { accountId, url, types, source: 'api' });
  await database.write(async (tx) => {
    await lockName(tx, `webhooks of ${accountId}`);
    const { count } = await tx
      .selectFrom('webhooks')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .where('source', '=', 'api')
      .executeTakeFirstOrThrow();
    if (count >= maxEndpoints) throw new AppError('too_many_webhooks');
    await tx.insertInto('webhooks').values(made.endpoint).execute();
    await endpointsChanged(tx, accountId);
  });
  return made;
}

export function listEndpoints(database: Database, accountId: string): Promise<Webhook[]> {
  return database.read
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('webhook_id')
    .execute();
}

/** Somebody else's is not found. */
export async function findEndpoint(
  source: Tx | Database['read'],
  accountId: string,
  webhookId: string,
): Promise<Webhook> {
  const found = await source
    .selectFrom('webhooks')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!found) throw new AppError('webhook_not_found');
  return found;
}

/** What waits for it goes too. */
export function deleteEndpoint(
  { database, endpointsChanged }: EndpointParts,
  accountId: string,
  webhookId: string,
): Promise<void> {
  return database.write(async (tx) => {
    const { source } = await findEndpoint(tx, accountId, webhookId);
    if (source === 'settings')
      throw new AppError('conflict', 'This is the account’s own webhook: set "webhook_url" to null instead');
    await tx.deleteFrom('webhooks').where('webhook_id', '=', webhookId).execute();
    await endpointsChanged(tx, accountId);
  });
}

export function rotateSecret(
  { database, secretBox, endpointsChanged }: EndpointParts,
  accountId: string,
  webhookId: string,
): Promise<MadeEndpoint> {
  const secret = newSecret();
  return database.write(async (tx) => {
    await lockName(tx, `webhooks of ${accountId}`);
    const old = await findEndpoint(tx, accountId, webhookId);
    const endpoint = await tx
      .updateTable('webhooks')
      .set({
        secret_sealed: secretBox.seal(secret),
        previous_secret_sealed: old.secret_sealed,
        previous_until: Date.now() + previousSecretMs,
      })
      .where('webhook_id', '=', webhookId)
      .returningAll()
      .executeTakeFirstOrThrow();
    await endpointsChanged(tx, accountId);
    return { endpoint, secret };
  });
}

/**
 * Keeps the endpoint of the account's settings in step with them; null removes it. Setting an address switches it on
 * again, and the secret made with the first one is returned.
 */
export async function keepSettingsEndpoint(
  tx: Tx,
  secretBox: SecretBox,
  { accountId, url }: { accountId: string; url: string | null },
): Promise<string | undefined> {
  const ofSettings = { account_id: accountId, source: 'settings' } as const;
  if (url === null) {
    await tx
      .deleteFrom('webhooks')
      .where((eb) => eb.and(ofSettings))
      .execute();
    return undefined;
  }
  const { numUpdatedRows } = await tx
    .updateTable('webhooks')
    .set({ url, enabled: 1, disabled_reason: null })
    .where((eb) => eb.and(ofSettings))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return undefined;
  const made = newEndpoint(secretBox, { accountId, url, types: defaultEventTypes, source: 'settings' });
  await tx.insertInto('webhooks').values(made.endpoint).execute();
  return made.secret;
}

function newEndpoint(
  secretBox: SecretBox,
  input: { accountId: string; url: string; types: readonly EventType[]; source: Webhook['source'] },
): MadeEndpoint {
  const secret = newSecret();
  const endpoint: Webhook = {
    webhook_id: `wh_${randomHex(8)}`,
    account_id: input.accountId,
    url: input.url,
    events: joinTypes(input.types),
    enabled: 1,
    disabled_reason: null,
    source: input.source,
    secret_sealed: secretBox.seal(secret),
    previous_secret_sealed: null,
    previous_until: null,
    created_at: Date.now(),
  };
  return { endpoint, secret };
}

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}
