// Deliveries are kept for a month, for whoever looks what became of them.
import type { Database } from '../platform/database/database.ts';
import { firstDeliveryIdAt } from './new-delivery.ts';

const keptMs = 30 * 24 * 3_600_000;
const rowsAtATime = 1000;

/** Little by little, so that nobody waits long for the database; returns how many went. */
export async function sweepDeliveries(database: Database, now = Date.now()): Promise<number> {
  const first = firstDeliveryIdAt(now - keptMs);
  let removed = 0;
  for (;;) {
    const { numDeletedRows } = await database.write((tx) =>
      tx
        .deleteFrom('webhook_deliveries')
        .where('delivery_id', 'in', (eb) =>
          eb
            .selectFrom('webhook_deliveries')
            .select('delivery_id')
            .where('delivery_id', '<', first)
            .limit(rowsAtATime),
        )
        .executeTakeFirstOrThrow(),
    );
    removed += Number(numDeletedRows);
    if (numDeletedRows < BigInt(rowsAtATime)) return removed;
  }
}
