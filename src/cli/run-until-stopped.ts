// How a command that runs for as long as it is let ends: told to, or lost.
import type { Log } from '../platform/log.ts';

export function stopOnSignal(app: { stop(): Promise<void> }, log: Log): void {
  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    app.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

export function endWhenLost(log: Log): void {
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    // State is unknown now: stop, and let whoever watches the process start it anew.
    log.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
}
