// Accounts and keys of a test server, made over its API.
import assert from 'node:assert/strict';
import type { TestServer } from './server.ts';

export type TestAccount = { account_id: string; bucket_id: string; api_key: string };

export async function newAccount(
  server: TestServer,
  terms: Record<string, unknown> = {},
): Promise<TestAccount> {
  const account = { email: 'someone@example.com', tier: 'enterprise', ...terms };
  return made(await server.json('/accounts/', sendJson('POST', account)));
}

export async function newKey(
  server: TestServer,
  ownersKey: string,
  input: Record<string, unknown>,
): Promise<{ key_id: string; api_key: string }> {
  return made(
    await server.json('/keys/', { ...sendJson('POST', { name: 'test', ...input }), key: ownersKey }),
  );
}

export function sendJson(method: string, body: unknown) {
  return { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
}

function made<T>({ status, body }: { status: number; body: T }): T {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
