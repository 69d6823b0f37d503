// Analyses one picture: a small copy of it goes to the account's provider, and what comes back is kept in one transaction
// with the end of its waiting and the event that tells of it. So it is done once, whatever dies in between.
import { type NewEvent, recordEvent } from '../../events/record-event.ts';
import { manifestJob } from '../../objects/manifests.ts';
import { objectEventData } from '../../objects/object-event-data.ts';
import type { PublicUrls } from '../../objects/object-json.ts';
import type { ObjectRow } from '../../objects/tables.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { lockingRows } from '../../platform/database/locking-rows.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { PictureIndex } from '../index/picture-index.ts';
import type { AiProvider, AiProviders, Analysed } from '../providers/ai-provider.ts';
import { holdAccount } from './hold-account.ts';
import { noteSuccess } from './pauses.ts';
import { wordsOf } from './picture-words.ts';

/** A JPEG of at most 512 pixels of the picture, as a provider gets it. */
export type SmallCopy = { path: string; sizeBytes: number };

export type AnalysePictureParts = {
  database: Database;
  urls: PublicUrls;
  index: PictureIndex;
  providers: AiProviders;
  /** Throws an AppError below 500 when no decoder takes the picture. */
  smallCopyOf(object: ObjectRow): Promise<SmallCopy>;
};

/** False when there was nothing to be kept: the object is gone, or its account wants another model or none by now. */
export async function analysePicture(
  parts: AnalysePictureParts,
  provider: AiProvider,
  generation: string,
  signal: AbortSignal,
): Promise<boolean> {
  const object = await pictureQuery(parts.database.read, generation).executeTakeFirst();
  if (!object) return false;
  const copy = await parts.smallCopyOf(object);
  let paidFor: string | null = null;
  const captioned = (caption: string): void => void (paidFor = caption);
  const picture = { ...copy, caption: captionFor(provider, object), captioned };
  const analysed = await provider.analyse(picture, signal).catch(async (error: unknown) => {
    if (paidFor !== null) await keepCaption(parts, provider, object, paidFor);
    throw error;
  });
  failpoint('analysis:answered');
  const kept = await parts.database.write((tx) => keep(parts, tx, provider, object, analysed));
  failpoint('analysis:kept');
  return kept;
}

/** Captions cost most: only those of another provider are asked for anew. */
function captionFor({ captionModel }: AiProvider, object: ObjectRow): string | null {
  return authorOf(captionModel) === authorOf(object.caption_model) ? object.caption : null;
}

function authorOf(model: string | null): string | undefined {
  return model?.split('/')[0];
}

/** For the next attempt, if there will be one: not for an account that has switched analysis off, or its provider. */
async function keepCaption(
  { database, providers }: AnalysePictureParts,
  { captionModel }: AiProvider,
  object: ObjectRow,
  caption: string,
): Promise<void> {
  await database.write(async (tx) => {
    const account = await holdAccount(tx, object.account_id);
    if (!account?.ai_analysis || authorOf(providers.modelOf(account)) !== authorOf(captionModel)) return;
    const columns = { caption, caption_model: captionModel };
    await Promise.all([
      tx.updateTable('objects').set(columns).where('generation', '=', object.generation).execute(),
      enqueue(tx, [manifestJob(object)]),
    ]);
  });
}

async function keep(
  parts: AnalysePictureParts,
  tx: Tx,
  provider: AiProvider,
  { generation, account_id: accountId }: ObjectRow,
  { caption, vector }: Analysed,
): Promise<boolean> {
  const account = await holdAccount(tx, accountId);
  const before = await lockingRows(tx, pictureQuery(tx, generation)).executeTakeFirst();
  // The account's settings may have changed since the provider was asked.
  if (!before || !account?.ai_analysis || parts.providers.modelOf(account) !== provider.model) return false;
  const waiting = await tx.deleteFrom('analyses').where('generation', '=', generation).executeTakeFirst();
  if (waiting.numDeletedRows === 0n) return false;
  const captioned =
    caption === null ? {} : { caption, caption_model: provider.captionModel ?? provider.model };
  const object: ObjectRow = { ...before, ...captioned };
  const { seq } = object;
  const space = { model: provider.model, dimensions: vector.length };
  // A new vector of the same caption is no news.
  const isNews = object.caption !== before.caption || !(await hasVector(tx, generation));
  await Promise.all([
    ...(caption === null
      ? []
      : [tx.updateTable('objects').set(captioned).where('generation', '=', generation).execute()]),
    parts.index.keepVector(tx, { generation, accountId, seq, space, vector }),
    parts.index.keepWords(tx, { generation, accountId, seq, text: wordsOf(object) }),
    ...(isNews ? [recordEvent(tx, analysedEvent(parts.urls, object))] : []),
    enqueue(tx, [manifestJob(object)]),
    noteSuccess(parts.database, tx, account),
  ]);
  return true;
}

function analysedEvent(urls: PublicUrls, object: ObjectRow): NewEvent {
  const data = { ...objectEventData(urls, object), caption: object.caption };
  return { accountId: object.account_id, type: 'image.analyzed', data };
}

async function hasVector(tx: Tx, generation: string): Promise<boolean> {
  const query = tx.selectFrom('vectors').select('vector_id').where('generation', '=', generation);
  return (await query.executeTakeFirst()) !== undefined;
}

function pictureQuery(source: Tx | Database['read'], generation: string) {
  return source
    .selectFrom('objects')
    .selectAll()
    .where('generation', '=', generation)
    .where('kind', '=', 'image');
}
