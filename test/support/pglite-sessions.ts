// Sessions of a PostgreSQL that runs inside the test process (PGlite): one session in truth, handed from one user to the next.
import { existsSync, readFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type {
  PooledSession,
  PostgresQuery,
  PostgresResult,
  Sessions,
  Watch,
} from '../../src/platform/database/postgres/sessions.ts';

// A test process does not live long enough to earn back what compiling its hot parts costs.
setFlagsFromString('--liftoff-only');

const bigint = 20;
const numeric = 1700;

const settings = { extensions: { vector }, parsers: { [bigint]: Number, [numeric]: Number } };

/** Those that a test has left, for the next. */
const free: PGlite[] = [];
const keptForMs = 500;

/** Not for long: one that is idle has a timer for its statistics, which would keep the process for ten seconds after its tests. */
function leaveForNext(engine: PGlite): void {
  free.push(engine);
  setTimeout(() => {
    if (!free.includes(engine)) return;
    free.splice(free.indexOf(engine), 1);
    void engine.close();
  }, keptForMs);
}

/** To make a new cluster takes seconds, so the first process leaves its own for those that come after. */
async function startEngine(): Promise<PGlite> {
  if (existsSync(newCluster))
    return PGlite.create({ ...settings, loadDataDir: new Blob([await readFile(newCluster)]) });
  const engine = await PGlite.create(settings);
  await engine.exec('create extension vector');
  // The timer for it would keep the process alive.
  await engine.exec('alter system set log_startup_progress_interval = 0');
  const unfinished = `${newCluster}.${process.pid}`;
  await writeFile(unfinished, new Uint8Array(await (await engine.dumpDataDir('none')).arrayBuffer()));
  await rename(unfinished, newCluster);
  return engine;
}

const { version } = JSON.parse(
  readFileSync(new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url), 'utf8'),
) as { version: string };
const newCluster = join(tmpdir(), `tintype-pglite-${version}-${process.getuid?.() ?? 0}.tar`);

/** A database of its own, empty at first; several may open it, as processes open one server. */
export type PgliteServer = { open(): Sessions; stop(): Promise<void> };

export async function startPglite(): Promise<PgliteServer> {
  const engine = free.pop() ?? (await startEngine());
  await engine.exec(
    'drop schema public cascade; create schema public; create extension if not exists vector',
  );
  const turns = new Turns();
  return {
    open: () => new PgliteSessions(engine, turns),
    async stop() {
      await turns.take();
      leaveForNext(engine);
    },
  };
}

/** One at a time, in the order of asking. */
class Turns {
  #last: Promise<void> = Promise.resolve();

  async take(): Promise<() => void> {
    const before = this.#last;
    let end: () => void = () => undefined;
    this.#last = new Promise((resolve) => (end = resolve));
    await before;
    return end;
  }
}

class PgliteSessions implements Sessions {
  readonly #engine: PGlite;
  readonly #turns: Turns;

  constructor(engine: PGlite, turns: Turns) {
    this.#engine = engine;
    this.#turns = turns;
  }

  async acquire(): Promise<PooledSession> {
    const end = await this.#turns.take();
    let released = false;
    return {
      query: (query) => run(this.#engine, query),
      release: () => {
        if (!released) end();
        released = true;
      },
    };
  }

  async watch(
    channels: readonly string[],
    hear: (notification: { channel: string; payload: string }) => void,
  ): Promise<Watch> {
    const end = await this.#turns.take();
    const unlisten: (() => Promise<void>)[] = [];
    for (const channel of channels)
      unlisten.push(await this.#engine.listen(channel, (payload) => hear({ channel, payload })));
    end();
    return {
      query: async (query) => {
        const endTurn = await this.#turns.take();
        return run(this.#engine, query).finally(endTurn);
      },
      onEnd: () => undefined,
      end: () => {
        void this.#turns.take().then(async (endTurn) => {
          for (const each of unlisten.splice(0)) await each();
          endTurn();
        });
      },
    };
  }

  /** It is in this process: where it is away, so are we. */
  setAway(): void {}

  async close(): Promise<void> {
    (await this.#turns.take())();
  }
}

async function run(engine: PGlite, { text, values = [] }: PostgresQuery): Promise<PostgresResult> {
  const { rows, affectedRows } = await engine.query<Record<string, unknown>>(text, [...values]);
  return { rows, changes: affectedRows ?? rows.length };
}
