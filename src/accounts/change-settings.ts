// An account changes its own settings. Nothing is called from here; secrets are sealed before they are stored, and the
// ones made here are returned once.
import { randomBytes } from 'node:crypto';
import type { Updateable } from 'kysely';
import { keepSettingsEndpoint } from '../events/endpoints.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import { assertPublicAddress } from '../platform/egress/public-address.ts';
import { AppError } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { accountChanged } from './account-changed.ts';
import { lockAccount } from './lock-account.ts';
import { analysesAlike, analysisSettings } from './analysis-settings.ts';
import type { Account, AccountTable } from './tables.ts';

/** As the API takes them: what is left out stays, null clears. */
export type SettingsChange = {
  email?: string;
  storage_backend?: Account['storage_backend'];
  ai_analysis?: boolean;
  ai_provider?: Account['ai_provider'];
  openai_api_key?: string | null;
  openai_base_url?: string | null;
  openai_caption_model?: string | null;
  openai_embedding_model?: string | null;
  openai_embedding_dimensions?: number | null;
  transform_policy?: Account['transform_policy'];
  presets?: Record<string, string> | null;
  webhook_url?: string | null;
};

export type SettingsParts = {
  database: Database;
  secretBox: SecretBox;
  allowPrivateWebhooks: boolean;
  allowPrivateAi: boolean;
  /** Throws an AppError that says what is wrong with a preset's tokens. */
  checkTokens?: (tokens: string) => void;
  /** Runs in the transaction that changes how pictures are analysed, or whether they are. */
  onAiSettingsChanged?: (tx: Tx, account: Account) => Promise<void>;
};

export type ChangedSettings = { account: Account; webhookSecret?: string; signingSecret?: string };

export function changeSettings(
  parts: SettingsParts,
  accountId: string,
  change: SettingsChange,
): Promise<ChangedSettings> {
  if (change.webhook_url)
    assertPublicAddress(change.webhook_url, { allowPrivate: parts.allowPrivateWebhooks });
  if (change.openai_base_url)
    assertPublicAddress(change.openai_base_url, { allowPrivate: parts.allowPrivateAi });
  checkPresets(change.presets ?? {}, parts.checkTokens);
  return parts.database.write(async (tx) => {
    await lockAccount(tx, accountId);
    const before = await tx
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    if (!before) throw new AppError('account_not_found');
    const signingSecret = signingSecretToMake(before, change);
    const columns = toColumns(change, parts.secretBox, signingSecret);
    if (Object.keys(columns).length === 0) return { account: before };
    const { webhook_url: url } = change;
    const webhookSecret =
      url === undefined ? undefined : await keepSettingsEndpoint(tx, parts.secretBox, { accountId, url });
    const account = await tx
      .updateTable('accounts')
      .set(columns)
      .where('account_id', '=', accountId)
      .returningAll()
      .executeTakeFirstOrThrow();
    await accountChanged(parts.database, tx, account.bucket_id);
    if (!analysesAlike(before, account)) await parts.onAiSettingsChanged?.(tx, account);
    return { account, ...(webhookSecret && { webhookSecret }), ...(signingSecret && { signingSecret }) };
  });
}

function checkPresets(presets: Record<string, string>, checkTokens: SettingsParts['checkTokens']): void {
  for (const [name, tokens] of Object.entries(presets)) {
    try {
      checkTokens?.(tokens);
    } catch (error) {
      if (error instanceof AppError) throw new AppError(error.code, `Preset "${name}": ${error.message}`);
      throw error;
    }
  }
}

function signingSecretToMake(before: Account, change: SettingsChange): string | undefined {
  if (change.transform_policy !== 'signed' || before.signing_secret_sealed !== null) return undefined;
  return `ttsign_${randomBytes(32).toString('base64url')}`;
}

function toColumns(
  change: SettingsChange,
  box: SecretBox,
  signingSecret: string | undefined,
): Updateable<AccountTable> {
  const {
    ai_analysis: analysis,
    openai_api_key: aiKey,
    openai_base_url: aiUrl,
    presets,
    webhook_url: webhookUrl,
    ...plain
  } = change;
  const columns: Updateable<AccountTable> = { ...plain };
  if (aiUrl !== undefined) columns.openai_base_url = aiUrl?.replace(/\/+$/, '') ?? null;
  if (analysis !== undefined) columns.ai_analysis = analysis ? 1 : 0;
  if (aiKey !== undefined) columns.openai_api_key_sealed = aiKey === null ? null : box.seal(aiKey);
  if (presets !== undefined) columns.presets = JSON.stringify(presets ?? {});
  if (webhookUrl !== undefined) columns.webhook_url = webhookUrl;
  if (signingSecret) columns.signing_secret_sealed = box.seal(signingSecret);
  // What was wrong may be mended; the next analysis will tell.
  if (analysisSettings.some((name) => name in columns)) columns.ai_error = null;
  return columns;
}
