// Films whose work was not done when a database was lost: they begin again.
import type { Database } from '../platform/database/database.ts';
import { enqueue } from '../platform/jobs/jobs.ts';
import { processFilmJob } from './process-film.ts';

const atATime = 500;

export async function resumeFilms(database: Database): Promise<void> {
  const unfinished = await database.read
    .selectFrom('objects')
    .select('generation')
    .where('kind', '=', 'video')
    .where('status', 'in', ['queued', 'processing'])
    .execute();
  for (let start = 0; start < unfinished.length; start += atATime) {
    const jobs = unfinished.slice(start, start + atATime).map(processFilmJob);
    await database.write((tx) => enqueue(tx, jobs));
  }
}
