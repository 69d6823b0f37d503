// A service as the command that runs it sees it, whether it is one process or several.
import type { Log } from './platform/log.ts';

/** How long a stop waits for requests that are under way. */
export const defaultRequestGraceMs = 18_000;

export type ServiceOptions = { log: Log; runJobs?: boolean };

export type RunningService = {
  /** The operator's key, when this start has made it. */
  newOperatorKey: string | undefined;
  listen(): Promise<void>;
  stop(): Promise<void>;
};
