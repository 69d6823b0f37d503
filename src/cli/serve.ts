// `tintype serve`: runs the service until it is told to stop, and tells a newcomer what to do next.
import { createServer } from 'node:net';
import { type Config, settingsWithPort } from '../config.ts';
import { createLog } from '../platform/log.ts';
import type { RunningService, ServiceOptions } from '../running-service.ts';
import { readArguments } from './arguments.ts';
import { endWhenLost, stopOnSignal } from './run-until-stopped.ts';

export const help = `Usage:
  tintype serve [--no-jobs]

  --no-jobs   answer requests only, and leave background jobs to "tintype worker"

Runs the service until it is told to stop (Ctrl-C or SIGTERM). Settings come from the environment.`;

export async function serveCommand(args: string[], config: () => Config): Promise<void> {
  const { values } = readArguments(args, {
    jobs: { type: 'boolean', default: true },
    'http-process': { type: 'boolean', default: false },
  });
  if (values['http-process']) await serveForPrimary();
  else await serve(config(), { runJobs: values.jobs });
}

async function serve(loaded: Config, options: { runJobs: boolean }): Promise<void> {
  const config = loaded.PORT === 0 ? settingsWithPort(loaded, await freePort(loaded.HOST)) : loaded;
  const log = createLog(config.LOG_LEVEL);
  const app = await createService(config, { log, runJobs: options.runJobs });
  stopOnSignal(app, log);
  endWhenLost(log);
  await app.listen();
  if (app.newOperatorKey) console.log(welcome(config, app.newOperatorKey));
  else console.log(`Tintype is ready at ${config.baseUrl} (documentation: ${config.baseUrl}/docs)`);
}

/** Loads only what this process will use. */
async function createService(config: Config, options: ServiceOptions): Promise<RunningService> {
  if (config.WEB_CONCURRENCY === 1) {
    const { createApp } = await import('../app.ts');
    return createApp(config, options);
  }
  const { createPrimary } = await import('../primary.ts');
  return createPrimary(config, options);
}

/** One of the processes that a primary keeps. */
async function serveForPrimary(): Promise<void> {
  const { runHttpProcess } = await import('../http-process.ts');
  const log = createLog('info');
  endWhenLost(log);
  await runHttpProcess(log);
}

function welcome(config: Config, apiKey: string): string {
  return `
  Tintype is ready at ${config.baseUrl}

  Your API key, shown this once:

    ${apiKey}

  Upload a picture:

    curl -H "Authorization: Bearer ${apiKey}" -F file=@picture.jpg ${config.baseUrl}/upload/

  Documentation: ${config.baseUrl}/docs
`;
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, host, () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
