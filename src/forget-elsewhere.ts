// All that a deletion asks of others, put together.
import type { Config } from './config.ts';
import type { PublicUrls } from './objects/object-json.ts';
import { type ForgetElsewhere, forgetInCaches } from './objects/purge-caches.ts';
import { forgetFilmJobs } from './videos/forget-film.ts';

export function forgetElsewhere({ purgeCall }: Config, urls: PublicUrls): ForgetElsewhere {
  const inCaches = forgetInCaches(urls, purgeCall);
  return (object) => [...inCaches(object), ...forgetFilmJobs(object)];
}
