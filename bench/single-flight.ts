// Many ask for the same new variants at once: each is to be rendered once, and all are to get the same bytes.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { seededRandom } from '../test/support/random.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { Connection } from './support/connection.ts';
import { metric, untilPrepared, upload } from './support/objects.ts';
import { softPhotograph } from './support/photographs.ts';
import { exactly, type Scenario } from './support/report.ts';
import { startService } from './support/service.ts';

const requests = 10_000;
const variants = 100;
const connections = 200;
const smallestWidth = 100;
const originalWidth = 1200;

/** Settings from the environment of the bench reach the service, such as a number of processes. */
export const singleFlight: Scenario = async () => {
  using folder = temporaryFolder();
  await using service = await startService({ dataDir: join(folder.path, 'data') });
  const object = await upload(service, await softPhotograph(originalWidth));
  await untilPrepared(service);
  const before = await metric(service, 'tintype_renderings');
  const { statuses, bodies, seconds } = await askAll(service.port, object);
  const rendered = (await metric(service, 'tintype_renderings')) - before;
  const different = [...bodies.values()].filter((hashes) => hashes.size > 1).length;
  const what = `${requests} requests for ${variants} variants over ${connections} connections`;
  return [
    exactly(`${what}: renderings`, rendered, variants),
    exactly('  answers 200', statuses.get(200) ?? 0, requests),
    exactly('  variants with different bytes', different, 0),
    { what: '  took', value: `${seconds.toFixed(1)} s` },
  ];
};

async function askAll(port: number, object: string) {
  const all = Array.from({ length: requests }, (_, i) => smallestWidth + (i % variants));
  const widths = seededRandom(1).shuffle(all);
  const statuses = new Map<number, number>();
  const bodies = new Map<number, Set<string>>();
  const startedAt = performance.now();
  async function keepAsking(): Promise<void> {
    const connection = await Connection.open(port);
    for (let width = widths.pop(); width !== undefined; width = widths.pop()) {
      const { status, body } = await connection.exchange(
        Buffer.from(`GET ${object}w-${width}.webp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`),
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const hash = createHash('sha256').update(body()).digest('hex');
      bodies.set(width, (bodies.get(width) ?? new Set()).add(hash));
    }
    connection.close();
  }
  await Promise.all(Array.from({ length: connections }, keepAsking));
  return { statuses, bodies, seconds: (performance.now() - startedAt) / 1000 };
}
