// Removes streams that were published before the last one, or never: hours later, because somebody may still be playing
// from them.
import { filmFolderKey, posterName } from '../objects/object-keys.ts';
import type { Stores } from '../objects/stores.ts';
import type { ObjectRow } from '../objects/tables.ts';
import type { Database } from '../platform/database/database.ts';
import type { Job, JobHandler } from '../platform/jobs/jobs.ts';
import { readFilmRecord } from './film-record.ts';

const kind = 'tidy-film';
const leastMs = 6 * 3600 * 1000;

export function tidyFilmJob({ generation, duration_ms: durationMs }: ObjectRow): Job[] {
  const runAt = Date.now() + Math.max(leastMs, 2 * (durationMs ?? 0));
  return [{ kind, key: generation, payload: { generation }, runAt }];
}

export function tidyFilmHandlers(parts: { database: Database; stores: Stores }): Record<string, JobHandler> {
  return { [kind]: { run: ({ generation }: { generation: string }) => tidy(parts, generation) } };
}

async function tidy(
  { database, stores }: { database: Database; stores: Stores },
  generation: string,
): Promise<void> {
  const object = await database.read
    .selectFrom('objects')
    .selectAll()
    .where('generation', '=', generation)
    .where('status', 'in', ['ready', 'failed'])
    .executeTakeFirst();
  if (!object) return;
  const { stream } = readFilmRecord(object.film);
  const current = stream?.kind === 'own' ? stream.revision : null;
  const storage = stores[object.backend];
  const folder = filmFolderKey(object.bucket_id, generation);
  const old = new Set<string>();
  for await (const { key } of storage.list(folder)) {
    const [revision = '', ...rest] = key.slice(folder.length).split('/');
    if (rest.length > 0 && revision !== current && revision !== posterName) old.add(revision);
  }
  for (const revision of old) await storage.deleteFolder(`${folder}${revision}/`);
}
