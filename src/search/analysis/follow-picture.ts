// What search does after every change of a picture's record: keeps the words it can be found by, and queues its analysis
// when it has no vector of the account's model.
import type { Account } from '../../accounts/tables.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { PictureIndex } from '../index/picture-index.ts';
import type { AiProviders } from '../providers/ai-provider.ts';
import { queueAnalysis } from './analysis-queue.ts';
import { wordsOf } from './picture-words.ts';

export type FollowParts = {
  database: Database;
  index: Pick<PictureIndex, 'keepWords'>;
  providers: Pick<AiProviders, 'modelOf'>;
};

export async function followPicture(parts: FollowParts, object: ObjectRow): Promise<void> {
  if (object.kind !== 'image') return;
  const { generation } = object;
  // Nearly always nothing is to be done where analysis is off: found out without a transaction.
  if (isNothingToDo(await stateOf(parts.database.read, generation))) return;
  await parts.database.write(async (tx) => {
    const state = await stateOf(tx, generation);
    if (!state || isNothingToDo(state)) return;
    const { account, now, model } = state;
    const isMissing = account.ai_analysis === 1 && model !== parts.providers.modelOf(account);
    const { account_id: accountId, seq } = now;
    await Promise.all([
      parts.index.keepWords(tx, { generation, accountId, seq, text: wordsOf(now) }),
      ...(isMissing ? [queueAnalysis(tx, now)] : []),
    ]);
  });
}

type State = { account: Account; now: ObjectRow; model: string | null };

/** What was analysed can be found again once analysis is back on, and then by the words it has by now. */
function isNothingToDo(state: State | null): boolean {
  return !state || (!state.account.ai_analysis && state.model === null);
}

async function stateOf(source: Tx | Database['read'], generation: string): Promise<State | null> {
  const now = await source
    .selectFrom('objects')
    .selectAll()
    .where('generation', '=', generation)
    .executeTakeFirst();
  if (!now) return null;
  const account = await source
    .selectFrom('accounts')
    .leftJoin('vectors', (join) => join.on('vectors.generation', '=', generation))
    .selectAll('accounts')
    .select('vectors.model as vector_model')
    .where('accounts.account_id', '=', now.account_id)
    .executeTakeFirst();
  return account ? { account, now, model: account.vector_model } : null;
}
