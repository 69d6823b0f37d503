// `tintype worker`: runs background jobs beside nodes that answer requests.
import type { Config } from '../config.ts';
import { OperatorError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import { readArguments, UsageError } from './arguments.ts';
import { endWhenLost, stopOnSignal } from './run-until-stopped.ts';

export const help = `Usage:
  tintype worker [--port <port>]

  --port   answer /health/live, /health/ready and /metrics on this port

Runs background jobs (manifests, films, webhooks, analyses) until it is told to stop, on the database and the stores
that it shares with other nodes. Needs DATABASE_URL, and a DATA_DIR of its own. Settings come from the environment.`;

export async function workerCommand(args: string[], config: () => Config): Promise<void> {
  const { values } = readArguments(args, { port: { type: 'string' } });
  const port = values.port === undefined ? null : Number(values.port);
  if (port !== null && !(Number.isInteger(port) && port > 0 && port < 65536))
    throw new UsageError('--port must be a number from 1 to 65535');
  const settings = config();
  if (!settings.DATABASE_URL)
    throw new OperatorError(
      'A worker needs DATABASE_URL: with the embedded database, "tintype serve" runs the jobs itself',
    );
  const log = createLog(settings.LOG_LEVEL);
  const { createWorker } = await import('../worker.ts');
  const worker = await createWorker(settings, { log, port });
  stopOnSignal(worker, log);
  endWhenLost(log);
  await worker.listen();
  console.log(`Tintype works on background jobs${port === null ? '' : `; health at port ${port}`}`);
}
