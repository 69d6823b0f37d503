// A real server with accounts, keys and settings alone: SQLite in a temporary folder, HTTP on a free port of loopback.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Scope } from '../../src/platform/http/http-server.ts';
import { accountRoutes } from '../../src/accounts/account-routes.ts';
import { ensureOperatorAccount } from '../../src/accounts/accounts.ts';
import { authenticate } from '../../src/accounts/authenticate.ts';
import type { SettingsParts } from '../../src/accounts/change-settings.ts';
import { createRequestRate } from '../../src/accounts/request-rate.ts';
import { keyRoutes } from '../../src/accounts/key-routes.ts';
import { KeyRecogniser } from '../../src/accounts/recognise-key.ts';
import { accountMigrations } from '../../src/accounts/tables.ts';
import { userRoutes } from '../../src/accounts/user-routes.ts';
import { eventMigrations } from '../../src/events/tables.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { openSqliteDatabase } from '../../src/platform/database/sqlite/sqlite-database.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { jobMigrations } from '../../src/platform/jobs/jobs.ts';
import { createLog } from '../../src/platform/log.ts';
import { createSecretBox, type SecretBox } from '../../src/platform/secrets.ts';

export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> };
export type Route = { method: string; url: string; scope: Scope | 'public' };
export type Request = { key?: string | null; body?: unknown; headers?: Record<string, string> };
export type AccountServer = {
  databaseFile: string;
  database: Database;
  secretBox: SecretBox;
  operatorKey: string;
  routes: Route[];
  call(method: string, path: string, request?: Request): Promise<Answer>;
  /** A new account, whose key has the scopes a new account's key has. */
  account(
    input?: Record<string, unknown>,
  ): Promise<{ account_id: string; bucket_id: string; api_key: string }>;
  key(ownersKey: string, scopes: Scope[]): Promise<{ key_id: string; api_key: string }>;
  /** Everything on disk and in the log so far. */
  traces(): Promise<string>;
  close(): Promise<void>;
};

export async function startAccountServer(
  options: Partial<Omit<SettingsParts, 'database' | 'secretBox'>> & { bootstrapKey?: string } = {},
): Promise<AccountServer> {
  const { bootstrapKey, ...settings } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'tintype-accounts-'));
  const databaseFile = join(dataDir, 'tintype.db');
  const database = openSqliteDatabase(databaseFile);
  await database.migrate([...jobMigrations, ...accountMigrations, ...eventMigrations]);
  const { apiKey } = await ensureOperatorAccount(database, { bootstrapKey });
  const operatorKey = (bootstrapKey ?? apiKey) as string;
  const secretBox = createSecretBox('a secret key for tests');
  let logged = '';
  const sink = new Writable({ write: (chunk, _encoding, done) => ((logged += String(chunk)), done()) });

  const app = createHttpServer({ log: createLog('info', sink) });
  const routes: Route[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const each of [method].flat()) routes.push({ method: each, url, scope: config?.scope ?? 'public' });
  });
  authenticate(app, { database, recogniser: new KeyRecogniser(database), requestRate: createRequestRate() });
  accountRoutes(app, { database });
  keyRoutes(app, { database });
  userRoutes(app, { database, secretBox, allowPrivateWebhooks: false, allowPrivateAi: false, ...settings });
  app.get('/open/', { config: { scope: 'public' } }, async () => ({ status: 'success' }));
  app.post('/written/', { config: { scope: 'write' } }, async () => ({ status: 'success' }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  async function call(method: string, path: string, request: Request = {}): Promise<Answer> {
    const { key = operatorKey, body, headers = {} } = request;
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    return { status: response.status, headers: response.headers, text, body: parsed };
  }

  async function made<T>(path: string, key: string, body: unknown): Promise<T> {
    const answer = await call('POST', path, { key, body });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    return answer.body as T;
  }

  return {
    databaseFile,
    database,
    secretBox,
    operatorKey,
    routes,
    call,
    account: (input = {}) => made('/accounts/', operatorKey, { email: 'someone@example.com', ...input }),
    key: (ownersKey, scopes) => made('/keys/', ownersKey, { name: scopes.join('+'), scopes }),
    async traces() {
      const files = await Promise.all(
        (await readdir(dataDir)).map((name) => readFile(join(dataDir, name), 'latin1')),
      );
      return files.join('\n') + logged;
    },
    async close() {
      await app.close();
      await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
