// The keys of an account.
import type { Key, NewKey } from './api.ts';
import type { BodyOf, CallOptions, Calls } from './calls.ts';

export type KeyCalls = ReturnType<typeof keyCalls>;

export function keyCalls(calls: Calls) {
  return {
    /** Its secret is shown this once. */
    create: ({ signal, ...body }: CallOptions & BodyOf<'POST /keys/'>): Promise<NewKey> =>
      calls.json('POST /keys/', { body, signal }),
    list: async ({ signal }: CallOptions = {}): Promise<readonly Key[]> =>
      (await calls.json('GET /keys/', { signal })).keys,
    /** Acts at once. */
    revoke: async (keyId: string, { signal }: CallOptions = {}): Promise<void> => {
      await calls.json('DELETE /keys/{key_id}', { path: { key_id: keyId }, signal });
    },
    /** A new secret; the old one stays good for `grace_seconds`. */
    rotate: (
      keyId: string,
      { signal, ...body }: CallOptions & { grace_seconds?: number } = {},
    ): Promise<NewKey> => calls.json('POST /keys/{key_id}/rotate', { path: { key_id: keyId }, body, signal }),
  };
}
