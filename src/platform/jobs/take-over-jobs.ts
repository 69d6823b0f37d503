// Frees the jobs that a process of this host held when it died, so that they need not wait for their leases to run out.
import type { Database } from '../database/database.ts';
import { isOwnerGone } from '../owner-name.ts';

export type TakeOverOptions = {
  livingOwners: ReadonlySet<string>;
  backOffMs: (attempts: number) => number;
};

export async function takeOverJobs(database: Database, options: TakeOverOptions): Promise<void> {
  const leased = await database.read
    .selectFrom('jobs')
    .select(['job_id', 'leased_by', 'attempts', 'run_at'])
    .where('leased_by', 'is not', null)
    .where('dead', '=', 0)
    .execute();
  const left = leased.filter(
    ({ leased_by: owner }) => !options.livingOwners.has(owner ?? '') && isOwnerGone(owner ?? ''),
  );
  if (left.length === 0) return;
  const now = database.now();
  await database.write((tx) =>
    Promise.all(
      left.map((job) => {
        // At once after the first death; a job that was there at several may be what they died of.
        const runAt = job.attempts > 1 ? now + options.backOffMs(job.attempts) : job.run_at;
        return tx
          .updateTable('jobs')
          .set({ leased_by: null, leased_until: 0, run_at: runAt })
          .where('job_id', '=', job.job_id)
          .where('leased_by', '=', job.leased_by)
          .execute();
      }),
    ),
  );
}
