// Finds the pictures of an account that a question describes, or that look like one of its own: the nearest vectors of
// its model, and with `hybrid` also by the words of the question.
import { accountById } from '../accounts/account-by-id.ts';
import type { Account } from '../accounts/tables.ts';
import { folderFacet, tagFacet } from '../objects/facets.ts';
import { findObject } from '../objects/find-object.ts';
import { findPlaces } from '../objects/find-page.ts';
import type { Database } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import { findHybrid } from './hybrid.ts';
import type { Among, PictureIndex } from './index/picture-index.ts';
import { type FoundPicture, nearestPictures, type Target } from './nearest-pictures.ts';
import { type AiProvider, type AiProviders, ProviderFault } from './providers/ai-provider.ts';

/** Must survive JSON: it may be asked by another process. */
export type Question = {
  readonly accountId: string;
  /** What to look for, in plain language; or the id of the object that others are to be like. */
  readonly about: { readonly words: string } | { readonly like: string };
  readonly threshold: number;
  readonly limit: number;
  readonly tags: readonly string[];
  readonly folder: string | null;
  readonly hybrid: boolean;
};
export type { FoundPicture };
export type FindPictures = (question: Question) => Promise<FoundPicture[]>;

export type FindParts = { database: Database; index: PictureIndex; providers: AiProviders };

/** Within this an account's provider has answered, or has failed. */
const maxProviderMs = 9000;

export function createFindPictures(parts: FindParts): FindPictures {
  return async (question) => {
    const account = await findAccount(parts.database, question.accountId);
    const [target, among] = await Promise.all([
      targetOf(parts, account, question),
      amongOf(parts.database, question),
    ]);
    const { about, threshold, limit, hybrid } = question;
    const bounds = { threshold, limit, among };
    return hybrid && 'words' in about
      ? findHybrid(parts, { ...target, ...bounds }, about.words)
      : nearestPictures(parts.index, target, bounds);
  };
}

async function findAccount(database: Database, accountId: string): Promise<Account> {
  const account = await accountById(database.read, accountId);
  if (!account) throw new AppError('account_not_found');
  return account;
}

async function targetOf(parts: FindParts, account: Account, { about }: Question): Promise<Target> {
  const provider = providerOf(parts.providers, account);
  if ('like' in about) return likeOf(parts, account, provider, about.like);
  try {
    const vector = await provider.embed(about.words, AbortSignal.timeout(maxProviderMs));
    const space = { model: provider.model, dimensions: vector.length };
    return { accountId: account.account_id, vector, space, scale: provider.questionScale, except: null };
  } catch (error) {
    throw inWordsForClients(error);
  }
}

function providerOf(providers: AiProviders, account: Account): AiProvider {
  try {
    const provider = providers.of(account);
    if (provider) return provider;
  } catch (error) {
    throw inWordsForClients(error);
  }
  throw new AppError('ai_key_missing');
}

/** Anything else is a fault of ours. */
function inWordsForClients(error: unknown): unknown {
  return error instanceof ProviderFault ? new AppError('provider_failed', error.message) : error;
}

async function likeOf(
  { database, index }: FindParts,
  account: Account,
  provider: AiProvider,
  objectId: string,
): Promise<Target> {
  const { generation, kind } = await findObject(database.read, account.account_id, objectId);
  const found = kind === 'image' ? await index.vectorOf(generation) : null;
  // One of another model would be told on the wrong scale, and find only what is not yet analysed anew.
  if (found?.space.model !== provider.model)
    throw new AppError(
      'conflict',
      kind === 'image'
        ? 'This picture has not been analysed yet; try again in a moment'
        : 'Only pictures can be compared; this is a video',
    );
  return { accountId: account.account_id, ...found, scale: provider.pictureScale, except: generation };
}

/** Null when nothing restricts the search. */
async function amongOf(database: Database, { accountId, tags, folder }: Question): Promise<Among | null> {
  const facets = [...tags.map(tagFacet), ...(folder === null ? [] : [folderFacet(folder)])];
  return facets.length === 0 ? null : findPlaces(database, accountId, facets);
}
