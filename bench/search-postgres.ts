// The nearest vectors in PostgreSQL: of an account with 100,000, before and after it has its graph, filtered and not, and of
// one of 1,000 small accounts. `BENCH_DATABASE=postgres://…` names the server; `SEARCH_SCALE=0.1` asks a tenth.
import { blockSize, emptyPlaces, setPlace } from '../src/lib/block-members.ts';
import type { Among, NearestQuery, PictureIndex } from '../src/search/index/picture-index.ts';
import { openBuildSession } from '../src/search/index/postgres/build-session.ts';
import { openPostgresPictureIndex } from '../src/search/index/postgres/postgres-picture-index.ts';
import type { Space } from '../src/search/providers/ai-provider.ts';
import {
  captionEmbeddings,
  type Embeddings,
  randomNumbers,
  uniformEmbeddings,
} from './support/embeddings.ts';
import { exactNearest } from './support/exact-nearest.ts';
import { type BenchPostgres, openBenchPostgres } from './support/fill-postgres-vectors.ts';
import type { FilledAccount } from './support/fill-vectors.ts';
import { atLeast, atMost, type Figure, type Scenario } from './support/report.ts';
import { median, percentile } from './support/statistics.ts';

const scale = Number(process.env.SEARCH_SCALE ?? 1);
const inOneAccount = Math.round(100_000 * scale);
const smallAccounts = Math.round(1000 * scale);
const perSmallAccount = 100;
const questions = 300;
const warmUp = 50;
const recallQuestions = 100;
const limit = 10;
const buildWithinMs = 1_800_000;

export const searchPostgres: Scenario = async () => {
  const address = process.env.BENCH_DATABASE;
  if (address === undefined || address === '')
    return [{ what: 'not measured', value: 'name a server with pgvector: BENCH_DATABASE=postgres://…' }];
  await using postgres = await openBenchPostgres(address);
  const figures: Figure[] = [];
  for (const dimensions of [512, 1536]) {
    const what = `${inOneAccount} of ${dimensions} dimensions in one account`;
    figures.push(
      ...(await measureOne(postgres, `${what}, like captions`, {
        fill: captionEmbeddings(2, dimensions),
        ask: captionEmbeddings(5, dimensions),
        askStrangely: captionEmbeddings(6, dimensions, 11),
        dimensions,
        bars: true,
      })),
    );
    figures.push(...(await measureMany(postgres, dimensions)));
  }
  figures.push(
    ...(await measureOne(postgres, `${inOneAccount} of 512 dimensions in one account, without order`, {
      fill: uniformEmbeddings(3),
      ask: uniformEmbeddings(6),
      dimensions: 512,
      bars: false,
    })),
  );
  return figures;
};

type Kind = {
  fill: Embeddings;
  ask: Embeddings;
  /** For questions unlike any of the vectors. */
  askStrangely?: Embeddings;
  dimensions: number;
  bars: boolean;
};

async function measureOne(postgres: BenchPostgres, what: string, kind: Kind): Promise<Figure[]> {
  const space = { model: `bench/model@${kind.dimensions}`, dimensions: kind.dimensions };
  const filling = { accounts: 1, vectors: inOneAccount, space, embeddings: kind.fill, keep: true };
  const [account] = (await postgres.add(filling)) as [FilledAccount];
  await postgres.settle();
  const asked = Array.from({ length: questions + warmUp }, kind.ask);
  const queries = asked.map((vector) => questionOf(account.accountId, space, vector));
  const idle = openPostgresPictureIndex({ database: postgres.database, exactUpTo: 2 * inOneAccount });
  const exactMs = median(await ask(idle, queries.slice(0, 10)));
  await idle.close();
  const { index, seconds } = await withGraph(postgres, queries[0] as NearestQuery);
  const latenciesMs = (await ask(index, queries)).slice(warmUp);
  const half = queries.map((query) => ({ ...query, among: everySecond(inOneAccount) }));
  const filteredMs = (await ask(index, half)).slice(warmUp);
  const found = await recall(index, account, queries.slice(0, recallQuestions));
  const strange = kind.askStrangely && Array.from({ length: recallQuestions }, kind.askStrangely);
  const strangeQueries = strange?.map((vector) => questionOf(account.accountId, space, vector));
  const foundStrangely = strangeQueries && (await recall(index, account, strangeQueries));
  await index.close();
  const p50 = median(latenciesMs);
  return [
    { what: `${what}: looking at all, p50`, value: `${exactMs.toFixed(0)} ms` },
    { what: `${what}: building the graph`, value: `${seconds.toFixed(0)} s` },
    kind.bars
      ? atMost(`${what}: p50 of ${questions}`, p50, 20, ' ms', 1)
      : { what: `${what}: p50 of ${questions}`, value: `${p50.toFixed(1)} ms` },
    { what: `${what}: p99`, value: `${percentile(latenciesMs, 99).toFixed(1)} ms` },
    { what: `${what}: p50, every second passes a filter`, value: `${median(filteredMs).toFixed(1)} ms` },
    kind.bars
      ? atLeast(`${what}: recall@${limit}`, found, 0.95, '', 4)
      : { what: `${what}: recall@${limit}`, value: found.toFixed(4) },
    ...(foundStrangely === undefined
      ? []
      : [{ what: `${what}: recall@${limit}, unlike the vectors`, value: foundStrangely.toFixed(4) }]),
  ];
}

/** Asking for it has the graph built; another index then finds it there. */
async function withGraph(
  { database, url }: BenchPostgres,
  query: NearestQuery,
): Promise<{ index: PictureIndex; seconds: number }> {
  const startedAt = performance.now();
  const options = { database, openSession: () => openBuildSession(url), exactUpTo: inOneAccount / 5 };
  const built = Promise.withResolvers<void>();
  const timer = setTimeout(() => built.reject(new Error('The graph was not built in time')), buildWithinMs);
  const log = {
    info: () => built.resolve(),
    warn: (_: unknown, why: string) => built.reject(new Error(why)),
  };
  const builder = openPostgresPictureIndex({ ...options, log: log as never });
  await builder.nearest(query);
  await built.promise.finally(() => clearTimeout(timer));
  const seconds = (performance.now() - startedAt) / 1000;
  await builder.close();
  return { index: openPostgresPictureIndex(options), seconds };
}

async function measureMany(postgres: BenchPostgres, dimensions: number): Promise<Figure[]> {
  const vectors = smallAccounts * perSmallAccount;
  const space = { model: `bench/small@${dimensions}`, dimensions };
  const embeddings = captionEmbeddings(4, dimensions);
  const accounts = await postgres.add({ accounts: smallAccounts, vectors, space, embeddings, keep: false });
  await postgres.settle();
  const chance = randomNumbers(7);
  const index = openPostgresPictureIndex({ database: postgres.database });
  const queries = Array.from({ length: questions + warmUp }, () => {
    const { accountId } = accounts[chance() % accounts.length] as FilledAccount;
    return questionOf(accountId, space, embeddings());
  });
  const latenciesMs = (await ask(index, queries)).slice(warmUp);
  await index.close();
  const what = `${vectors} of ${dimensions} dimensions in ${smallAccounts} accounts, another each time`;
  return [
    atMost(`${what}: p50 of ${questions}`, median(latenciesMs), 20, ' ms', 1),
    { what: `${what}: p99`, value: `${percentile(latenciesMs, 99).toFixed(1)} ms` },
  ];
}

/** One after another. */
async function ask(index: PictureIndex, queries: readonly NearestQuery[]): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (const query of queries) {
    const startedAt = performance.now();
    await index.nearest(query);
    latenciesMs.push(performance.now() - startedAt);
  }
  return latenciesMs;
}

function questionOf(accountId: string, space: Space, vector: Float32Array): NearestQuery {
  return { accountId, space, vector, minCosine: -1, limit, among: null };
}

function everySecond(count: number): Among {
  const among = new Map<number, ReturnType<typeof emptyPlaces>>();
  for (let seq = 2; seq <= count; seq += 2) {
    const block = Math.floor(seq / blockSize);
    const places = among.get(block) ?? emptyPlaces();
    setPlace(places, seq % blockSize);
    among.set(block, places);
  }
  return among;
}

async function recall(
  index: PictureIndex,
  account: FilledAccount,
  queries: readonly NearestQuery[],
): Promise<number> {
  let found = 0;
  for (const query of queries) {
    const least = exactNearest(account.vectors, query.vector, limit).at(-1) as number;
    const answer = await index.nearest(query);
    // The database multiplies with 32 bits.
    found += answer.filter(({ cosine }) => cosine >= least - 1e-6).length;
  }
  return found / (queries.length * limit);
}
