// Flights among all nodes on one database: whoever holds the row of a name works, and renews its lease meanwhile; the
// others wait for the result, and take over when the lease runs out. Without the database everybody works alone.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { SingleFlight } from '../../lib/single-flight.ts';
import { withinTime } from '../../lib/within-time.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { randomHex } from '../random.ts';
import type { Flights, FlightWork } from './flights.ts';

const topic = 'flight';
const forgetAfterMs = 3_600_000;

const takeFlight = statement<'name' | 'owner' | 'until' | 'now'>(
  (p) => sql`insert into flights (name, owner, until)
    values (${p('name')}, ${p('owner')}, cast(${p('until')} as bigint))
    on conflict (name) do update set owner = excluded.owner, until = excluded.until
    where flights.until <= cast(${p('now')} as bigint) or flights.owner = excluded.owner`,
);
const renewFlight = statement<'name' | 'owner' | 'until'>(
  (p) => sql`update flights set until = cast(${p('until')} as bigint)
    where name = ${p('name')} and owner = ${p('owner')}`,
);
const flightOf = statement<'name'>((p) => sql`select until from flights where name = ${p('name')}`);

class HeldByAnother extends Error {}

export type DatabaseFlightsOptions = {
  database: Database;
  /** After this another node takes over from one that died. */
  leaseMs?: number;
  /** For those whose announcement was lost. */
  lookEveryMs?: number;
  /** Longer than this nobody waits for the database: the work itself is what was asked for. */
  maxDatabaseMs?: number;
  /** As long as the work itself may take; who has waited so long works too. */
  maxWaitMs: number;
};

export class DatabaseFlights implements Flights {
  readonly #options: Required<DatabaseFlightsOptions>;
  readonly #owner = randomHex(8);
  readonly #flight = new SingleFlight<void>();
  readonly #waiting = new Map<string, AbortController>();

  constructor(options: DatabaseFlightsOptions) {
    this.#options = { leaseMs: 12_000, lookEveryMs: 300, maxDatabaseMs: 1000, ...options };
    options.database.listen(topic, (name) => this.#waiting.get(name)?.abort());
  }

  run(name: string, work: FlightWork): Promise<void> {
    return this.#flight.run(name, () => this.#fly(name, work));
  }

  /** Removes what nodes that died have left, where nobody asked again. */
  async sweep(): Promise<void> {
    const { database } = this.#options;
    const before = database.now() - forgetAfterMs;
    await database.write((tx) =>
      sql`delete from flights where until < cast(${before} as bigint)`.execute(tx),
    );
  }

  async #fly(name: string, work: FlightWork): Promise<void> {
    const deadline = Date.now() + this.#options.maxWaitMs;
    for (;;) {
      const holder = await this.#take(name);
      if (holder === 'us') return this.#work(name, work);
      if (holder === 'unknown' || Date.now() >= deadline) return work.make();
      await this.#untilLanded(name, deadline);
      if (await work.look()) return;
    }
  }

  async #take(name: string): Promise<'us' | 'another' | 'unknown'> {
    const { database, leaseMs, maxDatabaseMs } = this.#options;
    const now = database.now();
    const values = { name, owner: this.#owner, until: now + leaseMs, now };
    const taken = database.writeBatch([takeFlight(values, () => new HeldByAnother())]).then(
      () => 'us' as const,
      (error: unknown) => (error instanceof HeldByAnother ? 'another' : 'unknown'),
    );
    return (await withinTime(taken, maxDatabaseMs)) ?? 'unknown';
  }

  async #work(name: string, { look, make }: FlightWork): Promise<void> {
    const { leaseMs } = this.#options;
    const heartbeat = setInterval(() => void this.#renew(name).catch(() => undefined), leaseMs / 3).unref();
    try {
      // Somebody may have landed between the caller's own look and our taking off.
      if (!(await look())) await make();
    } finally {
      clearInterval(heartbeat);
      // Whoever asked has what it wants; where this fails, the lease runs out.
      void this.#land(name).catch(() => undefined);
    }
  }

  #renew(name: string): Promise<void> {
    const { database, leaseMs } = this.#options;
    const until = database.now() + leaseMs;
    return database.writeBatch([renewFlight({ name, owner: this.#owner, until })]);
  }

  #land(name: string): Promise<void> {
    const { database } = this.#options;
    return database.write(async (tx) => {
      await Promise.all([
        sql`delete from flights where name = ${name} and owner = ${this.#owner}`.execute(tx),
        database.announce(tx, topic, name),
      ]);
    });
  }

  /** Until nobody holds it any more, or nobody can say. */
  async #untilLanded(name: string, deadline: number): Promise<void> {
    const { database, lookEveryMs, maxDatabaseMs } = this.#options;
    const landed = new AbortController();
    this.#waiting.set(name, landed);
    try {
      while (!landed.signal.aborted && Date.now() < deadline) {
        await pause(lookEveryMs, undefined, { signal: landed.signal }).catch(() => undefined);
        if (landed.signal.aborted) return;
        const rows = await withinTime(database.select<{ until: number }>(flightOf({ name })), maxDatabaseMs);
        const until = rows?.[0]?.until;
        if (until === undefined || until <= database.now()) return;
      }
    } finally {
      this.#waiting.delete(name);
    }
  }
}
