// A service whose AI provider is a stand-in: a picture's caption is chosen by its size, so that a test can say in words
// what is on a plain picture.
import assert from 'node:assert/strict';
import { newAccount, sendJson, type TestAccount } from './accounts.ts';
import { eventually } from './eventually.ts';
import { type OpenAiStandIn, type OpenAiStandInOptions, startOpenAiStandIn } from './openai-stand-in.ts';
import { picture } from './pictures.ts';
import { startServer, type TestServer } from './server.ts';

export type DescribedPictures = {
  server: TestServer;
  provider: OpenAiStandIn;
  logLines: string[];
  /** With analysis on and the provider's key, unless told otherwise. */
  account(settings?: Record<string, unknown>): Promise<Searcher>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type Searcher = TestAccount & {
  /** Uploads a picture with this caption. */
  add(id: string, caption: string, fields?: Record<string, string>, fileName?: string): Promise<void>;
  /** Waits until so many can be found. */
  analysed(count: number, withinMs?: number): Promise<void>;
  search(query: Record<string, string | string[]>): Promise<{ status: number; body: any; headers: Headers }>;
  /** The ids of what is found, in order. */
  found(query: Record<string, string | string[]>): Promise<string[]>;
  get(path: string): Promise<{ status: number; body: any }>;
  configure(settings: Record<string, unknown>): Promise<any>;
  send(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>;
};

export const idsOf = (objects: string[]): string[] => objects.map((url) => url.split('/').at(-2) as string);

export async function startDescribedPictures(
  environment: Record<string, string> = {},
  options: OpenAiStandInOptions & { dataDir?: string } = {},
): Promise<DescribedPictures> {
  const captions = new Map<string, string>();
  const { dataDir, ...standInOptions } = options;
  const provider = await startOpenAiStandIn({
    caption: ({ width, height }) => captions.get(`${width}×${height}`) ?? 'Something grey.',
    ...standInOptions,
  });
  const logLines: string[] = [];
  const server = await startServer(
    { OPENAI_BASE_URL: provider.url, WEBHOOK_ALLOW_PRIVATE: 'on', ...environment },
    { logLines, ...(dataDir === undefined ? {} : { dataDir }) },
  );

  async function account(settings: Record<string, unknown> = {}): Promise<Searcher> {
    const made = await newAccount(server);
    const key = made.api_key;
    const send: Searcher['send'] = (method, path, body) =>
      server.json(path, { ...(body === undefined ? { method } : sendJson(method, body)), key });
    const search: Searcher['search'] = (query) => {
      const pairs = Object.entries(query).flatMap(([name, values]) =>
        [values].flat().map((value): [string, string] => [name, value]),
      );
      return server.json(`/get/search?${new URLSearchParams(pairs).toString()}`, { key });
    };
    const searcher: Searcher = {
      ...made,
      send,
      search,
      async add(id, caption, fields = {}, fileName = 'picture.jpg') {
        const [width, height] = sizeOf(captions.size);
        captions.set(`${width}×${height}`, caption);
        const file = await picture(width, height);
        const { status, body } = await server.upload(file, { object: id, ...fields }, { key, fileName });
        assert.equal(status, 200, JSON.stringify(body));
      },
      async analysed(count, withinMs = 10_000) {
        await eventually(async () => {
          const { body } = await send('GET', '/analysis/');
          assert.equal(body.analysed, count, JSON.stringify(body));
        }, withinMs);
      },
      async found(query) {
        const { status, body } = await search(query);
        assert.equal(status, 200, JSON.stringify(body));
        return idsOf(body.objects as string[]);
      },
      get: (path) => send('GET', path),
      async configure(change) {
        const { status, body } = await send('PATCH', '/user/', change);
        assert.equal(status, 200, JSON.stringify(body));
        return body;
      },
    };
    await searcher.configure({ ai_analysis: true, openai_api_key: provider.apiKey, ...settings });
    return searcher;
  }

  return {
    server,
    provider,
    logLines,
    account,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await provider.close();
    },
  };
}

/** Another for every picture. */
function sizeOf(index: number): [number, number] {
  return [8 + (index % 100), 8 + Math.floor(index / 100)];
}
