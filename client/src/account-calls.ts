// All accounts of a service; needs a key with the scope `operator`.
import type { AccountRecord, NewAccount } from './api.ts';
import type { AnswerOf, BodyOf, CallOptions, Calls } from './calls.ts';

export type AccountCalls = ReturnType<typeof accountCalls>;

export function accountCalls(calls: Calls) {
  return {
    create: ({ signal, ...body }: CallOptions & BodyOf<'POST /accounts/'>): Promise<NewAccount> =>
      calls.json('POST /accounts/', { body, signal }),
    list: async ({ signal }: CallOptions = {}): Promise<readonly AccountRecord[]> =>
      (await calls.json('GET /accounts/', { signal })).accounts,
    get: (accountId: string, { signal }: CallOptions = {}): Promise<AccountRecord> =>
      calls.json('GET /accounts/{account_id}', { path: { account_id: accountId }, signal }),
    change: (
      accountId: string,
      { signal, ...body }: CallOptions & BodyOf<'PATCH /accounts/{account_id}'>,
    ): Promise<AccountRecord> =>
      calls.json('PATCH /accounts/{account_id}', { path: { account_id: accountId }, body, signal }),
    /** Disabled at once, erased after seven days; `change(id, { enabled: true })` takes it back until then. */
    delete: (
      accountId: string,
      { signal }: CallOptions = {},
    ): Promise<AnswerOf<'DELETE /accounts/{account_id}'>> =>
      calls.json('DELETE /accounts/{account_id}', { path: { account_id: accountId }, signal }),
  };
}
