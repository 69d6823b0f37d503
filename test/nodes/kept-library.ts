// A library with one of everything, and all that its API shows, for commands that copy all of it: two such views are equal
// only when nothing was lost on the way.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey, sendJson } from '../support/accounts.ts';
import { fillLibrary, jobsDone } from '../support/library.ts';
import { type DescribedPictures, type Searcher, startDescribedPictures } from '../support/search-server.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { databaseOfFolder, dropDatabaseOfFolder } from '../support/test-database.ts';

export const secretKey = 'secret-key-of-kept-libraries-00';
const captions = { boat: 'A red boat on a lake.', dog: 'A brown dog that sleeps.', tree: 'An old tree.' };

/** Of s3rver. */
export const s3Credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export type Settings = Record<string, string>;

/** Folders and databases of one test, all gone at its end. */
export class Places implements AsyncDisposable {
  readonly folder: string;
  readonly #databases: string[] = [];

  static async make(): Promise<Places> {
    return new Places(await mkdtemp(join(tmpdir(), 'tintype-keeping-')));
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Of a node that keeps its rows in SQLite unless a database is named. */
  settings(name: string, more: Settings = {}): Settings {
    return {
      DATA_DIR: join(this.folder, name),
      BASE_URL: 'http://tintype.test',
      DATABASE_URL: '',
      SECRET_KEY: secretKey,
      WEBHOOK_ALLOW_PRIVATE: 'on',
      ...more,
    };
  }

  async emptyDatabase(name: string): Promise<string> {
    this.#databases.push(name);
    return (await databaseOfFolder(join(this.folder, `database-${name}`))).environment[
      'DATABASE_URL'
    ] as string;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#databases) await dropDatabaseOfFolder(join(this.folder, `database-${name}`));
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function startOn(settings: Settings): Promise<TestServer> {
  return startServer(settings, { dataDir: settings['DATA_DIR'] as string });
}

export type KeptLibrary = DescribedPictures & { searcher: Searcher; ids: string[]; uploadKey: string };

/** Pictures with tags, folders, captions and vectors, a film, a kept variant, keys and a webhook, in two accounts. */
export async function startLibrary(settings: Settings): Promise<KeptLibrary> {
  const described = await startDescribedPictures(settings, { dataDir: settings['DATA_DIR'] as string });
  try {
    return { ...described, ...(await fill(described)) };
  } catch (error) {
    await described[Symbol.asyncDispose]();
    throw error;
  }
}

async function fill(described: DescribedPictures): Promise<Omit<KeptLibrary, keyof DescribedPictures>> {
  const { server } = described;
  const ids = await fillLibrary(server);
  const searcher = await described.account();
  for (const [id, caption] of Object.entries(captions))
    await searcher.add(id, caption, { tags: `of-${id}`, folder: 'described' });
  await searcher.analysed(Object.keys(captions).length);
  const { api_key: uploadKey } = await newKey(server, searcher.api_key, { scopes: ['write'] });
  const hook = { url: 'http://127.0.0.1:9/hook', events: ['object.deleted'] };
  const made = await searcher.send('POST', '/webhooks/', hook);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  await jobsDone(server);
  return { searcher, ids, uploadKey };
}

/** The settings of a service that finds the stand-in of the library's AI provider. */
export function withProvider(settings: Settings, { provider }: KeptLibrary): Settings {
  return { ...settings, OPENAI_BASE_URL: provider.url };
}

/** All that the API shows to both accounts, and what is found. */
export async function viewOf(server: TestServer, { searcher }: KeptLibrary): Promise<unknown[]> {
  const read = async (path: string, key?: string): Promise<any> => {
    const { status, body } = await server.json(path, key === undefined ? {} : { key });
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    return body;
  };
  const paths = ['/user/', '/get/?view=full&page_size=100', '/tags/', '/folders/', '/webhooks/'];
  const view: unknown[] = [];
  for (const key of [undefined, searcher.api_key]) {
    for (const path of paths) view.push(await read(path, key));
    const keys = (await read('/keys/', key)) as { items?: object[]; keys?: object[] };
    view.push((keys.items ?? keys.keys ?? []).map((one) => ({ ...one, last_used_at: null })));
  }
  for (const query of ['q=boat', 'q=sleeping dog', 'q=tree&tags=of-tree'])
    view.push(await read(`/get/search?${query}`, searcher.api_key));
  return view;
}

/** Every original of the operator is served, and a key of another account still works. */
export async function assertServes(server: TestServer, { uploadKey }: KeptLibrary): Promise<void> {
  const { body } = await server.json('/get/?view=full&page_size=100');
  assert.ok(body.items.length > 0);
  for (const { original } of body.items)
    assert.equal((await server.call(new URL(original).pathname)).status, 200, original);
  const later = await readFile(new URL('../fixtures/coffee.jpg', import.meta.url));
  const { status } = await server.upload(later, { object: 'later' }, { key: uploadKey });
  assert.equal(status, 200);
  assert.equal((await server.json('/get/', { key: uploadKey })).status, 403);
}

export function change(server: TestServer, id: string, tags: string[]): Promise<{ status: number }> {
  return server.call(`/update/${id}`, sendJson('POST', { tags }));
}
