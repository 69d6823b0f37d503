// For pages served by the service itself: signed in once with a key, known by a cookie from then on.
import type { Session } from './api.ts';
import type { CallOptions, Calls } from './calls.ts';

export type SessionCalls = ReturnType<typeof sessionCalls>;

export function sessionCalls(calls: Calls) {
  return {
    signIn: (apiKey: string, { signal }: CallOptions = {}): Promise<Session> =>
      calls.json('POST /session/', { body: { api_key: apiKey }, signal }),
    /** Who is signed in; that is a refusal with 401 when nobody is. */
    get: ({ signal }: CallOptions = {}): Promise<Session> => calls.json('GET /session/', { signal }),
    signOut: async ({ signal }: CallOptions = {}): Promise<void> => {
      await calls.json('DELETE /session/', { signal });
    },
  };
}
