// What search does after every change of a picture's record: keeps the words it can be found by, and queues its analysis
// when it has no vector of the account's model.
import type { Account } from '../../accounts/tables.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { lockingRows } from '../../platform/database/locking-rows.ts';
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
  // Nearly always nothing is to be done where analysis is off: found out without a transaction.
  if (isNothingToDo(await stateOf(parts.database.read, object))) return;
  const { generation, account_id: accountId } = object;
  await parts.database.write(async (tx) => {
    const [now, state] = await Promise.all([holdObject(tx, generation), stateOf(tx, object)]);
    if (!now || !state || isNothingToDo(state)) return;
    const isMissing = state.ai_analysis === 1 && state.vector_model !== parts.providers.modelOf(state);
    await Promise.all([
      parts.index.keepWords(tx, { generation, accountId, seq: now.seq, text: wordsOf(now) }),
      ...(isMissing ? [queueAnalysis(parts.database, tx, now)] : []),
    ]);
  });
}

/** The account, and the model of the picture's vector. */
type State = Account & { vector_model: string | null };

/** What was analysed can be found again once analysis is back on, and then by the words it has by now. */
function isNothingToDo(state: State | undefined): boolean {
  return !state || (!state.ai_analysis && state.vector_model === null);
}

function stateOf(
  source: Tx | Database['read'],
  { generation, account_id: accountId }: ObjectRow,
): Promise<State | undefined> {
  return source
    .selectFrom('accounts')
    .leftJoin('vectors', (join) => join.on('vectors.generation', '=', generation))
    .selectAll('accounts')
    .select('vectors.model as vector_model')
    .where('accounts.account_id', '=', accountId)
    .executeTakeFirst();
}

/** Its words must not change between the look at them and their way into the index. */
function holdObject(tx: Tx, generation: string): Promise<ObjectRow | undefined> {
  const object = tx.selectFrom('objects').selectAll().where('generation', '=', generation);
  return lockingRows(tx, object).executeTakeFirst();
}
