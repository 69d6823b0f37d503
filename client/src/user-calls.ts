// The account a key belongs to: its use, its settings, and how far the analysis of its pictures is.
import type { Account, AnalysisProgress, ChangedAccount } from './api.ts';
import type { BodyOf, CallOptions, Calls } from './calls.ts';

export type UserCalls = ReturnType<typeof userCalls>;

export function userCalls(calls: Calls) {
  return {
    get: ({ signal }: CallOptions = {}): Promise<Account> => calls.json('GET /user/', { signal }),
    /** Only what is given changes; null clears. */
    change: ({ signal, ...body }: CallOptions & BodyOf<'PATCH /user/'>): Promise<ChangedAccount> =>
      calls.json('PATCH /user/', { body, signal }),
    analysis: ({ signal }: CallOptions = {}): Promise<AnalysisProgress> =>
      calls.json('GET /analysis/', { signal }),
    /** Has pictures that were given up tried again. */
    analyseAgain: ({ signal }: CallOptions = {}): Promise<AnalysisProgress> =>
      calls.json('POST /analysis/', { signal }),
  };
}
