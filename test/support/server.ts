// A whole service on a free port of this machine, with a data folder of its own, for tests that talk HTTP to it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, type AppOptions, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { freePort } from './free-port.ts';
import { databaseOfFolder, dropDatabaseOfFolder } from './test-database.ts';
import { storeSettings } from './test-stores.ts';

export const operatorKey = 'operator-key-for-tests-000000';

export type TestServer = {
  url: string;
  dataDir: string;
  app: App;
  /** A request with the operator's key unless another is given; `null` sends none. */
  call(path: string, init?: RequestInit & { key?: string | null }): Promise<Response>;
  json(
    path: string,
    init?: RequestInit & { key?: string | null },
  ): Promise<{ status: number; body: any; headers: Headers }>;
  upload(
    file: Buffer,
    fields?: Record<string, string>,
    options?: UploadOptions,
  ): Promise<{ status: number; body: any; headers: Headers }>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
export type UploadOptions = { key?: string; fileName?: string; headers?: Record<string, string> };

export async function startServer(
  environment: Record<string, string> = {},
  options: Partial<AppOptions> & { dataDir?: string; logLines?: string[] } = {},
): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tintype-test-')));
  const database = await databaseOfFolder(dataDir);
  const port = await freePort();
  const config = loadConfig({
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: dataDir,
    BOOTSTRAP_API_KEY: operatorKey,
    LOG_LEVEL: options.logLines ? 'debug' : 'fatal',
    IMAGE_WORKERS: '2',
    ...database.environment,
    ...(await storeSettings(dataDir)),
    ...environment,
  });
  const { logLines } = options;
  const log = logLines
    ? createLog('debug', { write: (line) => void logLines.push(line) })
    : createLog(config.LOG_LEVEL);
  const app = await createApp(config, {
    log,
    ...(database.openDatabase ? { openDatabase: database.openDatabase } : {}),
    ...options,
  });
  await app.listen();
  const url = `http://127.0.0.1:${port}`;

  const call: TestServer['call'] = (path, { key = operatorKey, headers, ...init } = {}) =>
    fetch(path.startsWith('http') ? path : url + path, {
      ...init,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(headers as Record<string, string>),
      },
    });
  const json: TestServer['json'] = async (path, init) => {
    const response = await call(path, init);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> =>
    (stopped ??= app.stop().then(async () => {
      if (options.dataDir) return;
      await dropDatabaseOfFolder(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    }));
  return {
    url,
    dataDir,
    app,
    call,
    json,
    upload: (file, fields = {}, { key, fileName = 'picture.jpg', headers = {} } = {}) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob([new Uint8Array(file)]), fileName);
      return json('/upload/', { method: 'POST', body: form, headers, ...(key === undefined ? {} : { key }) });
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
