// A service to import into in both ways: by its own data, and over its API as if it were elsewhere.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newAccount } from '../support/accounts.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type CliResult, runCli, runJson, startCli } from './run-cli.ts';

export type StoredFacts = {
  object_id: string;
  tags: string[];
  folder: string | null;
  original_file_name: string;
};

/** One account, and one way to import into it. */
export type ImportWay = {
  readonly key: string;
  run(args: string[], options?: { input?: string; environment?: Record<string, string> }): Promise<CliResult>;
  // oxlint-disable-next-line typescript/no-explicit-any -- as `runJson`
  json(args: string[], input?: string): Promise<any>;
  start(args: string[]): ReturnType<typeof startCli>;
  objects(): Promise<StoredFacts[]>;
};

export const ways = ['into the data of this service', 'into a service elsewhere'] as const;

export type ImportService = AsyncDisposable & {
  readonly server: TestServer;
  readonly scratch: string;
  readonly logLines: string[];
  account(way: (typeof ways)[number], terms?: Record<string, unknown>): Promise<ImportWay>;
};

export async function startImportService(environment: Record<string, string> = {}): Promise<ImportService> {
  const scratch = await mkdtemp(join(tmpdir(), 'tintype-import-'));
  const logLines: string[] = [];
  const settings = { UPLOAD_ALLOW_PRIVATE: 'on', ...environment };
  const server = await startServer(settings, { logLines });
  const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

  async function account(way: (typeof ways)[number], terms = {}): Promise<ImportWay> {
    const { account_id: accountId, api_key: key } = await newAccount(server, terms);
    const isLocal = way === ways[0];
    const own = isLocal ? ['--account', accountId] : [];
    const surroundings = {
      HOME: scratch,
      ...credentials,
      ...(isLocal
        ? { DATA_DIR: server.dataDir, ...settings }
        : { TINTYPE_URL: server.url, TINTYPE_KEY: key }),
    };
    return {
      key,
      run: (args, { input, environment: more } = {}) =>
        runCli(['import', ...args, ...own], { ...surroundings, ...more }, input),
      json: (args, input) => runJson(['import', ...args, ...own], surroundings, input),
      start: (args) => startCli(['import', ...args, ...own], surroundings),
      objects: async () => (await server.json('/get/?view=full&page_size=100', { key })).body.items,
    };
  }

  return {
    server,
    scratch,
    logLines,
    account,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
