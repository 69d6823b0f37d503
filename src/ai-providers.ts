// The AI provider of each account: a server that speaks the OpenAI API, by the account's settings or else the operator's,
// or the models on this machine.
import type { Account } from './accounts/tables.ts';
import type { Config } from './config.ts';
import type { Database } from './platform/database/database.ts';
import type { SecretBox } from './platform/secrets.ts';
import { type AiProvider, type AiProviders, ProviderFault } from './search/providers/ai-provider.ts';
import { localModel } from './search/providers/local/local-provider.ts';
import { createOpenAiProvider, openAiModel } from './search/providers/openai/openai-provider.ts';

type Parts = { config: Config; database: Database; secretBox: SecretBox; local: AiProvider };

export function createAiProviders({ config, database, secretBox, local }: Parts): AiProviders {
  return {
    modelOf: (account) => modelOf(config, account),
    of(account) {
      if (account.ai_provider === 'local') return local;
      const { account_id: accountId, openai_api_key_sealed: sealedKey } = account;
      if (sealedKey === null) return null;
      const settings = settingsOf(config, account);
      return createOpenAiProvider({
        ...settings,
        apiKey: openKey(secretBox, sealedKey),
        patience: { captionMs: config.OPENAI_CAPTION_SECONDS * 1000 },
        knownDimensions: () => knownDimensions(database, accountId, openAiModel(settings)),
      });
    },
  };
}

/** For whoever must know it without asking anybody. */
export function modelOf(config: Config, account: Account): string {
  if (account.ai_provider === 'local') return localModel(config.LOCAL_EMBEDDING_MODEL);
  return openAiModel(settingsOf(config, account));
}

/** What the account left open follows the operator. An address that the operator chose may be anywhere. */
function settingsOf(config: Config, account: Account) {
  const ownAddress = account.openai_base_url;
  return {
    baseUrl: ownAddress ?? config.OPENAI_BASE_URL,
    audience:
      ownAddress === null
        ? ({ audience: 'operator' } as const)
        : ({ audience: 'account', allowPrivate: config.AI_ALLOW_PRIVATE } as const),
    captionModel: account.openai_caption_model ?? config.OPENAI_CAPTION_MODEL,
    embeddingModel: account.openai_embedding_model ?? config.OPENAI_EMBEDDING_MODEL,
    dimensions: account.openai_embedding_dimensions ?? config.OPENAI_EMBEDDING_DIMENSIONS,
  };
}

function openKey(secretBox: SecretBox, sealed: string): string {
  try {
    return secretBox.open(sealed);
  } catch {
    throw new ProviderFault('settings', 'The stored API key of the AI provider cannot be read; set it again');
  }
}

async function knownDimensions(database: Database, accountId: string, model: string): Promise<number[]> {
  const vectors = database.read
    .selectFrom('vectors')
    .where('account_id', '=', accountId)
    .where('model', '=', model);
  // Two looks at the ends of the index, instead of one along all of it.
  const ends = await Promise.all(
    (['asc', 'desc'] as const).map((order) =>
      vectors.select('dimensions').orderBy('dimensions', order).limit(1).executeTakeFirst(),
    ),
  );
  return [...new Set(ends.flatMap((end) => end?.dimensions ?? []))];
}
