// The background jobs of a service that somebody asked for: all but the sweep, which always waits for its day.
import type { Database } from '../../src/platform/database/database.ts';

export function waitingJobs({ read }: Pick<Database, 'read'>) {
  return read.selectFrom('jobs').select(['job_id', 'kind']).where('kind', '<>', 'sweep-orphans');
}
