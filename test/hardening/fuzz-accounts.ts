// The accounts a fuzz run works with: one that is fuzzed, one whose terms are changed, and the operator, whom nothing may lock out.
import { newAccount } from '../support/accounts.ts';
import { operatorKey, type TestServer } from '../support/server.ts';

export type FuzzAccounts = { operator: string; user: string; otherAccountId: string };

export async function fuzzAccounts(server: TestServer): Promise<FuzzAccounts> {
  const [user, other] = await Promise.all([newAccount(server), newAccount(server)]);
  return { operator: operatorKey, user: user.api_key, otherAccountId: other.account_id };
}
