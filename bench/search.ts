// The nearest vectors: of an account with 100,000, whether they look like captions or have no order at all, and of one of
// 1,000 accounts with a million together. `SEARCH_SCALE=0.1` asks the same of a tenth as many.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { NearestQuery, PictureIndex } from '../src/search/index/picture-index.ts';
import { openSqlitePictureIndex } from '../src/search/index/sqlite/sqlite-picture-index.ts';
import { temporaryFolder } from './support/cleanup.ts';
import {
  captionEmbeddings,
  type Embeddings,
  randomNumbers,
  uniformEmbeddings,
} from './support/embeddings.ts';
import { exactNearest, exactScan, vecScan, vecTable } from './support/exact-nearest.ts';
import { benchSpace, type FilledAccount, startFilling } from './support/fill-vectors.ts';
import { atLeast, atMost, type Figure, type Scenario } from './support/report.ts';
import { findSqliteVec, howToInstallSqliteVec } from './support/sqlite-vec.ts';
import { median, percentile } from './support/statistics.ts';

const scale = Number(process.env.SEARCH_SCALE ?? 1);
const inOneAccount = Math.round(100_000 * scale);
const manyAccounts = Math.round(1000 * scale);
const perAccount = 1000;
const questions = 500;
const warmUp = 50;
const recallQuestions = 200;
const limit = 10;
const recallBar = 0.99;

export const search: Scenario = async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'tintype.db');
  const startedAt = performance.now();
  const filling = await startFilling(file);
  const one = { accounts: 1, vectors: inOneAccount, keep: true };
  const [captions] = filling.add({ ...one, embeddings: captionEmbeddings(2) }) as [FilledAccount];
  const [uniform] = filling.add({ ...one, embeddings: uniformEmbeddings(3) }) as [FilledAccount];
  const many = filling.add({
    accounts: manyAccounts,
    vectors: manyAccounts * perAccount,
    embeddings: captionEmbeddings(4),
    keep: false,
  });
  filling.end();
  const seconds = (performance.now() - startedAt) / 1000;
  const index = openSqlitePictureIndex({ file });
  const figures: Figure[] = [
    {
      what: `filling with ${2 * inOneAccount + manyAccounts * perAccount} vectors`,
      value: `${seconds.toFixed(0)} s, ${(statSync(file).size / 2 ** 30).toFixed(1)} GB`,
    },
    ...(await measureOne(index, file, 'like captions', captions, captionEmbeddings(5))),
    ...(await measureOne(index, file, 'without order', uniform, uniformEmbeddings(6))),
    ...(await measureMany(index, many)),
  ];
  await index.close();
  return figures;
};

async function measureOne(
  index: PictureIndex,
  file: string,
  kind: string,
  account: FilledAccount,
  embeddings: Embeddings,
): Promise<Figure[]> {
  const what = `${inOneAccount} in one account, ${kind}`;
  const asked = Array.from({ length: questions + warmUp }, embeddings);
  const firstMs = (await ask(index, [{ accountId: account.accountId, vector: embeddings() }])).latenciesMs[0];
  const { latenciesMs, longestDelayMs } = await ask(
    index,
    asked.map((vector) => ({ accountId: account.accountId, vector })),
  );
  const p50 = median(latenciesMs);
  const exactMs = median(asked.slice(0, 5).map((vector) => exactScan(file, account.accountId, vector)));
  return [
    { what: `${what}: first question`, value: `${(firstMs as number).toFixed(0)} ms` },
    atMost(`${what}: p50 of ${questions}`, p50, 30, ' ms', 1),
    atMost(`${what}: p99`, percentile(latenciesMs, 99), 100, ' ms', 1),
    atLeast(`${what}: recall@${limit}`, await recall(index, account, asked), recallBar, '', 4),
    atMost(`${what}: longest delay of the event loop`, longestDelayMs, 20, ' ms', 1),
    { what: `${what}: p50 of an exact scan, to ours`, value: (exactMs / p50).toFixed(1) },
    ...compareSqliteVec(file, what, account, asked.slice(0, 20), p50),
  ];
}

async function measureMany(index: PictureIndex, accounts: readonly FilledAccount[]): Promise<Figure[]> {
  const what = `${accounts.length * perAccount} in ${accounts.length} accounts`;
  const chance = randomNumbers(7);
  const embeddings = captionEmbeddings(8);
  const { latenciesMs, longestDelayMs } = await ask(
    index,
    Array.from({ length: questions + warmUp }, () => ({
      accountId: (accounts[chance() % accounts.length] as FilledAccount).accountId,
      vector: embeddings(),
    })),
  );
  return [
    atMost(`${what}: p50 of ${questions}, another each time`, median(latenciesMs), 5, ' ms', 1),
    { what: `${what}: p99`, value: `${percentile(latenciesMs, 99).toFixed(1)} ms` },
    atMost(`${what}: longest delay of the event loop`, longestDelayMs, 20, ' ms', 1),
  ];
}

type Asked = { accountId: string; vector: Float32Array };

/** One after another. The first are not counted, unless there are no others. */
async function ask(index: PictureIndex, asked: readonly Asked[]) {
  const latenciesMs: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (const { accountId, vector } of asked) {
    const startedAt = performance.now();
    await index.nearest(questionOf(accountId, vector));
    latenciesMs.push(performance.now() - startedAt);
  }
  delay.disable();
  return {
    latenciesMs: asked.length > warmUp ? latenciesMs.slice(warmUp) : latenciesMs,
    longestDelayMs: delay.max / 1e6,
  };
}

function questionOf(accountId: string, vector: Float32Array): NearestQuery {
  return { accountId, space: benchSpace, vector, minCosine: -1, limit, among: null };
}

async function recall(index: PictureIndex, account: FilledAccount, asked: readonly Float32Array[]) {
  let found = 0;
  for (const vector of asked.slice(0, recallQuestions)) {
    const best = exactNearest(account.vectors, vector, limit);
    const least = best.at(-1) as number;
    const answer = await index.nearest(questionOf(account.accountId, vector));
    found += answer.filter(({ cosine }) => cosine >= least).length;
  }
  return found / (recallQuestions * limit);
}

function compareSqliteVec(
  file: string,
  what: string,
  { accountId, vectors }: FilledAccount,
  asked: readonly Float32Array[],
  p50: number,
): Figure[] {
  const extension = findSqliteVec();
  if (extension === null) return [{ what: `${what}: sqlite-vec`, value: howToInstallSqliteVec }];
  const scanMs = median(asked.slice(0, 5).map((vector) => vecScan(file, extension, accountId, vector)));
  const tableMs = median(vecTable(extension, vectors, asked, limit));
  return [
    { what: `${what}: p50 of sqlite-vec's vec_distance_cosine, to ours`, value: (scanMs / p50).toFixed(1) },
    { what: `${what}: p50 of sqlite-vec's vec0, to ours`, value: (tableMs / p50).toFixed(1) },
  ];
}
