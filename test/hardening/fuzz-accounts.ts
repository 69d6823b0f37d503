// The accounts a fuzz run works with: one that is fuzzed, one whose terms are changed, and the operator, whom nothing may lock out.
import assert from 'node:assert/strict';
import { newAccount, sendJson } from '../support/accounts.ts';
import { operatorKey, type TestServer } from '../support/server.ts';

export type FuzzAccounts = {
  operator: string;
  user: string;
  /** Has analysis on, and settings nobody else changes. */
  searcher: string;
  otherAccountId: string;
};

export async function fuzzAccounts(server: TestServer, aiKey: string): Promise<FuzzAccounts> {
  const make = () => newAccount(server);
  const [user, searcher, other] = await Promise.all([make(), make(), make()]);
  const settings = sendJson('PATCH', { ai_analysis: true, openai_api_key: aiKey });
  const { status } = await server.json('/user/', { ...settings, key: searcher.api_key });
  assert.equal(status, 200);
  return {
    operator: operatorKey,
    user: user.api_key,
    searcher: searcher.api_key,
    otherAccountId: other.account_id,
  };
}
