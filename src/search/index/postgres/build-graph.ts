// Builds the graph of an account in a session of its own, without limits of time and without holding anybody up. One node does
// so at a time. Whoever builds also removes what is no longer needed.
import type { GraphOf } from './graphs.ts';

/** A session that nobody else uses, for statements that may take minutes. */
export type BuildSession = {
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** The server finishes what it is about. */
  end(): void;
};
export type OpenBuildSession = () => Promise<BuildSession>;

/** Any number, the same in every process. */
const buildLock = 7_468_331_022;
/** What building may take of the server's memory where that was not given more anyway; the rest then goes by way of the disk. */
const mostMemoryKb = 524_288;

/** Of a vector in a graph, beside its numbers; rather too many. */
const linksBytes = 600;

export type BuildOptions = {
  openSession: OpenBuildSession;
  graph: GraphOf;
  /** Graphs over fewer vectors are no longer needed. */
  leastCount: number;
  signal: AbortSignal;
};

/** False when another node is building. */
export async function buildGraph(options: BuildOptions): Promise<boolean> {
  const { openSession, graph, leastCount, signal } = options;
  const session = await openSession();
  const end = (): void => session.end();
  signal.addEventListener('abort', end);
  try {
    const [lock] = await session.query('select pg_try_advisory_lock($1::bigint)::int as held', [buildLock]);
    if (lock?.['held'] !== 1) return false;
    if (!(await isBuilt(session, graph.indexName))) {
      await removeUnneeded(session, leastCount);
      await giveMemory(session, graph);
      await create(session, graph);
    }
    await session.query('select pg_advisory_unlock($1::bigint)', [buildLock]);
    return true;
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** By another node, since we looked. */
async function isBuilt(session: BuildSession, indexName: string): Promise<boolean> {
  const rows = await session.query(
    'select 1 from pg_index where indexrelid = to_regclass($1::text) and indisvalid',
    [indexName],
  );
  return rows.length > 0;
}

async function create(session: BuildSession, graph: GraphOf): Promise<void> {
  const { indexName, accountId, space } = graph;
  await session.query(
    `insert into vector_graphs (index_name, account_id, model, dimensions) values ($1, $2, $3, $4)
      on conflict (index_name) do nothing`,
    [indexName, accountId, space.model, space.dimensions],
  );
  const statement = await createStatement(session, graph);
  try {
    await drop(session, graph.indexName);
    await session.query(statement);
  } catch {
    // Several processes share memory for it, of which containers often have next to none.
    await session.query("select set_config('max_parallel_maintenance_workers', '0', false)");
    await drop(session, graph.indexName);
    await session.query(statement);
  }
}

/** Made by the server, which knows best how to quote. */
async function createStatement(
  session: BuildSession,
  { indexName, accountId, space: { model, dimensions } }: GraphOf,
): Promise<string> {
  const [row] = await session.query(
    `select format('create index concurrently %I on vectors using hnsw ((short::halfvec(%s)) halfvec_ip_ops)
      where account_id = %L and model = %L and dimensions = %s::bigint',
      $1::text, $2::bigint, $3::text, $4::text, $2::bigint) as statement`,
    [indexName, dimensions, accountId, model],
  );
  return String(row?.['statement']);
}

/** One that was not finished stays behind, invalid, and is of no use. */
async function drop(session: BuildSession, indexName: string): Promise<void> {
  await session.query(`drop index concurrently if exists ${indexName}`);
}

/** Graphs of accounts that are gone, have become small or have another model by now. */
async function removeUnneeded(session: BuildSession, leastCount: number): Promise<void> {
  const rows = await session.query(
    `select index_name from vector_graphs g where (select count(*) from (select 1 from vectors v
      where v.account_id = g.account_id and v.model = g.model and v.dimensions = g.dimensions limit $1::bigint) as counted) < $1::bigint`,
    [leastCount],
  );
  for (const { index_name: name } of rows) {
    await drop(session, String(name));
    await session.query('delete from vector_graphs where index_name = $1', [name]);
  }
}

async function giveMemory(
  session: BuildSession,
  { accountId, space: { model, dimensions } }: GraphOf,
): Promise<void> {
  const [row] = await session.query(
    'select count(*)::int as count from vectors where account_id = $1 and model = $2 and dimensions = $3',
    [accountId, model, dimensions],
  );
  const neededKb = Math.ceil((Number(row?.['count']) * (2 * dimensions + linksBytes)) / 1024);
  await session.query(
    `select set_config('maintenance_work_mem', greatest($1::bigint,
      pg_size_bytes(current_setting('maintenance_work_mem')) / 1024)::text || 'kB', false)`,
    [Math.min(mostMemoryKb, neededKb)],
  );
}
