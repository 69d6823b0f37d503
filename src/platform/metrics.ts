// Counters and gauges in Prometheus' text form. They name routes and outcomes, never accounts or objects.
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObject,
  Registry,
} from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;
/** All of one process, as plain data. */
export type Snapshot = MetricObject[];

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Histogram({
    name: 'tintype_request_seconds',
    help: 'Time to answer API requests, by route and status',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  });
  const delivered: Record<string, number> = {};
  const deliveries: Counter<'source'> = new Counter({
    name: 'tintype_deliveries_total',
    help: 'Answers at public addresses, by where the file came from',
    labelNames: ['source'] as const,
    registers,
    collect: () => {
      deliveries.reset();
      for (const [source, count] of Object.entries(delivered)) deliveries.inc({ source }, count);
    },
  });
  return {
    requests,
    /** A plain sum until somebody looks: it is counted more often than anything. */
    countDelivery: (source: string): void => void (delivered[source] = (delivered[source] ?? 0) + 1),
    /** Read when somebody looks, not when it changes. */
    gauge(name: string, help: string, read: () => number | Promise<number>): void {
      const gauge: Gauge = new Gauge({ name, help, registers, collect: async () => gauge.set(await read()) });
    },
    text: () => registry.metrics(),
    snapshot: (): Promise<Snapshot> => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}

/** Of several processes: sums, where a sum means something. */
export function addSnapshots(snapshots: readonly Snapshot[]): Registry {
  return AggregatorRegistry.aggregate([...snapshots]);
}

/** What still counts of a process when it has ended. */
export function countersOf(snapshot: Snapshot): Snapshot {
  // Written by the library as words, whatever its declarations say.
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}
