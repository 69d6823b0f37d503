// What must work for a node to be of use.
import type { Core } from './core.ts';

export function healthChecks({ database, stores }: Pick<Core, 'database' | 'stores'>) {
  return {
    database: () => database.ping(),
    files: () => stores.files.probe(),
    storage: () => stores.storage.probe(),
  };
}
