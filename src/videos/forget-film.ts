// A film that is deleted here must go where its streams were made, too: by a job of the deletion's own transaction.
import type { ObjectRow } from '../objects/tables.ts';
import type { Job, JobHandler } from '../platform/jobs/jobs.ts';
import { readFilmRecord } from './film-record.ts';
import type { VideoProvider } from './provider.ts';

const kind = 'forget-film';
/** Back-off ends at ten minutes: most of a day. */
const maxAttempts = 100;

type Forgotten = { generation: string; provider: string; state: unknown };

export function forgetFilmJobs(object: Pick<ObjectRow, 'kind' | 'film' | 'generation'>): Job[] {
  if (object.kind !== 'video') return [];
  const { provider, state } = readFilmRecord(object.film);
  if (provider === 'local') return [];
  const payload: Forgotten = { generation: object.generation, provider, state };
  return [{ kind, key: object.generation, payload }];
}

export function forgetFilmHandlers(
  providers: ReadonlyMap<string, VideoProvider>,
): Record<string, JobHandler> {
  return {
    [kind]: {
      async run({ generation, provider, state }: Forgotten) {
        const remover = providers.get(provider);
        if (!remover) throw new Error(`There are no credentials for ${provider} to delete a film there`);
        await remover.remove({ generation }, state);
      },
      maxAttempts,
    },
  };
}
