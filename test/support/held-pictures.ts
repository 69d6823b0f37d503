// Described pictures whose provider is asked through held calls, and a look at all that search keeps of an account.
import type { AnalysisRow } from '../../src/search/tables.ts';
import { freePort } from './free-port.ts';
import { type HeldCalls, startHeldCalls } from './held-calls.ts';
import type { OpenAiStandInOptions } from './openai-stand-in.ts';
import { type DescribedPictures, startDescribedPictures } from './search-server.ts';

export type HeldPictures = DescribedPictures & { calls: HeldCalls };

export async function startHeldPictures(
  environment: Record<string, string> = {},
  options: OpenAiStandInOptions = {},
): Promise<HeldPictures> {
  const port = await freePort();
  const calls = await startHeldCalls(`http://127.0.0.1:${port}/v1`);
  const described = await startDescribedPictures(
    { OPENAI_BASE_URL: calls.url, ...environment },
    { ...options, port },
  );
  return {
    ...described,
    calls,
    async [Symbol.asyncDispose]() {
      calls.release();
      await described[Symbol.asyncDispose]();
      await calls[Symbol.asyncDispose]();
    },
  };
}

export type Kept = {
  vectors: { generation: string; model: string; dimensions: number }[];
  words: string[];
  analyses: AnalysisRow[];
};

export async function keptOf({ server }: DescribedPictures, accountId: string): Promise<Kept> {
  const { read } = server.app.core.database;
  const ofAccount = read.selectFrom('objects').select('generation').where('account_id', '=', accountId);
  const [vectors, words, analyses, objects] = await Promise.all([
    read
      .selectFrom('vectors')
      .select(['generation', 'model', 'dimensions'])
      .where('account_id', '=', accountId)
      .execute(),
    read.selectFrom('words').select('generation').execute(),
    read.selectFrom('analyses').selectAll().where('account_id', '=', accountId).execute(),
    ofAccount.execute(),
  ]);
  const own = new Set(objects.map(({ generation }) => generation));
  const all = words.map(({ generation }) => generation);
  return { vectors, words: all.filter((generation) => own.has(generation)), analyses };
}

/** When the account's pictures are next looked at; null when nothing waits. */
export async function nextLookAt({ server }: DescribedPictures, accountId: string): Promise<number | null> {
  const job = await server.app.core.database.read
    .selectFrom('jobs')
    .select('run_at')
    .where('kind', '=', 'analyse-account')
    .where('key', '=', accountId)
    .where('leased_by', 'is', null)
    .executeTakeFirst();
  return job?.run_at ?? null;
}
