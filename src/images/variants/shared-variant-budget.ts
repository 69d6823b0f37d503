// The budget of variants counted in the database, for all nodes: bucket and client are a row each, taken from together or
// not at all. Refusals are remembered for a moment, so that a flood does not become one of queries; while the database is
// away, each node counts for itself.
import { sql } from 'kysely';
import { Lru } from '../../lib/lru.ts';
import { withinTime } from '../../lib/within-time.ts';
import type { Database } from '../../platform/database/database.ts';
import { statement } from '../../platform/database/statement.ts';
import { NamedTurns } from '../../platform/flights/named-turns.ts';
import {
  type Allowance,
  exhausted,
  type GiveBack,
  type Level,
  levelAt,
  MemoryVariantBudget,
  secondsUntilOne,
  shareOfClient,
  type VariantBudget,
} from './variant-budget.ts';

/** Rendering takes as long; who counted alone sooner would grant too much under load. */
const maxDatabaseMs = 2000;
const restMs = 1000;
const maxRemembered = 50_000;
/** As long as an operator who raises a limit may have to wait for it. */
const rememberMs = 1000;
/** By then every allowance has refilled. */
const forgetAfterMs = 86_400_000;

type Names = 'name' | 'burst' | 'per_ms' | 'now';

const takeOne = statement<Names>((p) => {
  const number = (name: Names) => sql`cast(${p(name)} as double precision)`;
  const now = sql`cast(${p('now')} as bigint)`;
  const elapsed = sql`(case when ${now} > variant_budgets.at then ${now} - variant_budgets.at else 0 end)`;
  const full = sql`variant_budgets.unspent + ${elapsed} * ${number('per_ms')}`;
  const left = sql`(case when ${full} < ${number('burst')} then ${full} else ${number('burst')} end)`;
  // Without its condition SQLite would read "on conflict" as part of a join.
  return sql`insert into variant_budgets (name, unspent, at)
    select ${p('name')}, ${number('burst')} - 1, ${now} where ${number('burst')} >= 1
    on conflict (name) do update set unspent = ${left} - 1,
      at = case when ${now} > variant_budgets.at then ${now} else variant_budgets.at end
    where ${left} >= 1`;
});
const giveBackOne = statement<'name'>(
  (p) => sql`update variant_budgets set unspent = unspent + 1 where name = ${p('name')}`,
);

type Refusal = { allowance: Allowance; until: number; againAt: number };

class Exhausted extends Error {
  readonly taken: Taken;
  constructor(taken: Taken) {
    super('exhausted');
    this.taken = taken;
  }
}
type Taken = { name: string; allowance: Allowance };

export class SharedVariantBudget implements VariantBudget {
  readonly #database: Database;
  readonly #ownBudget = new MemoryVariantBudget();
  /** They would wait for each other in the database, each holding a connection. */
  readonly #turns = new NamedTurns();
  readonly #refusals = new Lru<string, Refusal>(maxRemembered);
  #restUntil = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async take(bucketId: string, client: string, allowance: Allowance): Promise<GiveBack> {
    // In one order everywhere, so that none waits for a row of another that waits for its.
    const wanted: Taken[] = [
      { name: bucketId, allowance },
      { name: `${bucketId} ${client}`, allowance: shareOfClient(allowance) },
    ];
    for (const each of wanted) this.#refuseAgain(each);
    const endTurn = await this.#turns.take(bucketId);
    try {
      // The one before may have found that nothing is left.
      for (const each of wanted) this.#refuseAgain(each);
      const outcome =
        Date.now() < this.#restUntil ? undefined : await withinTime(this.#take(wanted), maxDatabaseMs);
      if (outcome === 'taken') return () => this.#giveBack(wanted);
      if (outcome) throw await this.#refuse(outcome);
      if (Date.now() >= this.#restUntil) this.#restUntil = Date.now() + restMs;
      return await this.#ownBudget.take(bucketId, client, allowance);
    } finally {
      endTurn();
    }
  }

  /** Rows that say no more than none would. */
  async sweep(): Promise<void> {
    const before = this.#database.now() - forgetAfterMs;
    await this.#database.write((tx) => tx.deleteFrom('variant_budgets').where('at', '<', before).execute());
  }

  async #take(wanted: readonly Taken[]): Promise<'taken' | Taken> {
    const now = this.#database.now();
    const statements = wanted.map((each) => {
      const { perMinute, burst } = each.allowance;
      const values = { name: each.name, burst, per_ms: perMinute / 60_000, now };
      return takeOne(values, () => new Exhausted(each));
    });
    try {
      await this.#database.writeBatch(statements);
      return 'taken';
    } catch (error) {
      if (error instanceof Exhausted) return error.taken;
      throw error;
    }
  }

  #refuseAgain({ name, allowance }: Taken): void {
    const known = this.#refusals.get(name);
    if (!known) return;
    const { perMinute, burst } = known.allowance;
    const isSame = perMinute === allowance.perMinute && burst === allowance.burst;
    const now = Date.now();
    if (isSame && now < known.until)
      throw exhausted(allowance, Math.max(1, Math.ceil((known.againAt - now) / 1000)));
    this.#refusals.delete(name);
  }

  async #refuse({ name, allowance }: Taken): Promise<Error> {
    const level = await withinTime(this.#levelOf(name, allowance), maxDatabaseMs);
    const seconds = secondsUntilOne(level ?? { left: 0, at: 0 }, allowance);
    const now = Date.now();
    this.#refusals.set(name, { allowance, until: now + rememberMs, againAt: now + seconds * 1000 });
    return exhausted(allowance, seconds);
  }

  async #levelOf(name: string, allowance: Allowance): Promise<Level> {
    const row = await this.#database.read
      .selectFrom('variant_budgets')
      .select(['unspent as left', 'at'])
      .where('name', '=', name)
      .executeTakeFirst();
    return row ? levelAt(row, allowance, this.#database.now()) : { left: allowance.burst, at: 0 };
  }

  /** Nobody waits for it, and one too few is no harm. */
  #giveBack(wanted: readonly Taken[]): void {
    void this.#database.writeBatch(wanted.map(({ name }) => giveBackOne({ name }))).catch(() => undefined);
  }
}
