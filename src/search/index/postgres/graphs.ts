// Large accounts have a graph (an HNSW index of pgvector) over their vectors of one space. Each has its own, so neither other
// accounts nor other models can push results out of it, and small accounts pay nothing. It is built when a search finds the
// account large, beside all other work; until it is there, and wherever it might miss something, all vectors are looked at.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { Lru } from '../../../lib/lru.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { Space } from '../../providers/ai-provider.ts';
import { buildGraph, type OpenBuildSession } from './build-graph.ts';

/** pgvector builds none for short vectors of more dimensions. */
const mostDimensions = 4000;
/** What is known of an account is looked up again after this. */
const knownForMs = 60_000;
const mostKnown = 10_000;

export type GraphOf = {
  readonly indexName: string;
  readonly accountId: string;
  readonly space: Space;
};

/** All of a small account can be looked at in a moment. A large one has a graph, or gets one. */
export type AccountSize = 'small' | 'large' | 'graph';

type Known = { readonly size: AccountSize; readonly until: number };

export type Graphs = {
  /** An account with no more is answered by looking at all its vectors. */
  readonly exactUpTo: number;
  sizeOf(accountId: string, space: Space): Promise<AccountSize>;
  /** What is being built is finished by the server. */
  close(): Promise<void>;
};

export type GraphsOptions = {
  database: Database;
  log?: Log;
  openSession: OpenBuildSession;
  exactUpTo: number;
};

export function openGraphs({ database, log, openSession, exactUpTo }: GraphsOptions): Graphs {
  const known = new Lru<string, Known>(mostKnown);
  /** With fewer it is no longer needed; in between, one that is there is used. */
  const leastCount = Math.floor(exactUpTo / 2);
  const closing = new AbortController();
  let building: Promise<void> | null = null;

  function build(graph: GraphOf): void {
    if (building || closing.signal.aborted) return;
    building = buildGraph({ openSession, graph, leastCount, signal: closing.signal })
      .then((isBuilt) => {
        if (!isBuilt) return;
        known.delete(graph.indexName);
        log?.info({ accountId: graph.accountId, model: graph.space.model }, 'vectors have a graph');
      })
      .catch((error: unknown) => {
        if (!closing.signal.aborted) log?.warn({ err: error }, 'a graph of vectors could not be built');
      })
      .finally(() => (building = null));
  }

  return {
    exactUpTo,
    async sizeOf(accountId, space) {
      const indexName = graphName(accountId, space);
      const before = known.get(indexName);
      if (before && before.until > Date.now()) return before.size;
      const { count, isValid } = await lookAt(database, { indexName, accountId, space }, exactUpTo + 1);
      const size = isValid && count >= leastCount ? 'graph' : count > exactUpTo ? 'large' : 'small';
      known.set(indexName, { size, until: Date.now() + knownForMs });
      if (size === 'large' && space.dimensions <= mostDimensions) build({ indexName, accountId, space });
      return size;
    },
    async close() {
      closing.abort();
      await building;
    },
  };
}

/** The count goes no further than is needed. */
async function lookAt(
  database: Database,
  { indexName, accountId, space: { model, dimensions } }: GraphOf,
  countUpTo: number,
): Promise<{ count: number; isValid: boolean }> {
  const { rows } = await sql<{ count: number; valid: number }>`select
    (select count(*) from (select 1 from vectors where account_id = ${accountId} and model = ${model}
      and dimensions = cast(${dimensions} as bigint) limit ${countUpTo}) as counted) as count,
    (select count(*) from pg_index where indexrelid = to_regclass(${indexName}) and indisvalid) as valid`.execute(
    database.read,
  );
  return { count: rows[0]?.count ?? 0, isValid: rows[0]?.valid === 1 };
}

function graphName(accountId: string, { model, dimensions }: Space): string {
  const hash = createHash('sha256').update(JSON.stringify([accountId, model, dimensions]));
  return `vectors_near_${hash.digest('hex').slice(0, 24)}`;
}
