// Remembers when a key was last used: at most one write a minute for each key, never waited for.
import type { Database } from '../platform/database/database.ts';
import type { Key } from './tables.ts';

const writeEveryMs = 60_000;

export type NoteKeyUse = (key: Pick<Key, 'key_id' | 'last_used_at'>) => void;

export function createKeyUseNotes(database: Database): NoteKeyUse {
  const noted = new Set<string>();
  return ({ key_id: keyId, last_used_at: lastUsedAt }) => {
    const now = Date.now();
    if (noted.has(keyId) || Math.abs(now - (lastUsedAt ?? 0)) < writeEveryMs) return;
    noted.add(keyId);
    setTimeout(() => noted.delete(keyId), writeEveryMs).unref();
    const written = database.write((tx) =>
      tx.updateTable('keys').set({ last_used_at: now }).where('key_id', '=', keyId).execute(),
    );
    // A note that is lost does no harm; a request refused for it would.
    written.catch(() => undefined);
  };
}
