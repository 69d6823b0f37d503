// A million wrong inputs, if one asks for them: parsers by themselves, then the whole API in this process. No crash, no
// error of ours, every refusal a proper one.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createLog } from '../../src/platform/log.ts';
import { assertClean } from '../support/assert-clean.ts';
import { eventually } from '../support/eventually.ts';
import { type OpenAiStandIn, startOpenAiStandIn } from '../support/openai-stand-in.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { checkAnswer } from './check-answer.ts';
import { type FuzzAccounts, fuzzAccounts } from './fuzz-accounts.ts';
import { checkAddress, makeAddress } from './fuzz-addresses.ts';
import { checkField, makeField } from './fuzz-fields.ts';
import { checkMultipart, makeMultipart } from './fuzz-multipart.ts';
import { fuzz, fuzzCases } from './fuzz.ts';
import { type ApiRequest, hostileRequests } from './hostile-requests.ts';
import { checkRun, fieldRuns, runRequests } from './long-run-cases.ts';
import { wildRequest } from './wild-requests.ts';

const share = (part: number): number => Math.ceil(fuzzCases * part);

suite('parsers', () => {
  test('public addresses and transformations', () =>
    fuzz({ name: 'addresses', cases: share(0.45), make: makeAddress, check: checkAddress }));
  test('ids, folders, tags and file names', () =>
    fuzz({ name: 'fields', cases: share(0.15), make: makeField, check: checkField }));
  test('multipart bodies', () =>
    fuzz({ name: 'multipart', cases: share(0.3), make: makeMultipart, check: checkMultipart }));
  test('long runs of anything', () =>
    fuzz({
      name: 'long runs',
      cases: fieldRuns.length,
      make: (_, index) => fieldRuns[index] as string,
      check: checkRun,
    }));
});

suite('the API in this process', () => {
  let server: TestServer;
  let provider: OpenAiStandIn;
  let accounts: FuzzAccounts;
  let file: Buffer;
  const faults: string[] = [];

  before(async () => {
    const log = createLog('error', { write: (line) => void faults.push(line) });
    provider = await startOpenAiStandIn();
    server = await startServer({ OPENAI_BASE_URL: provider.url }, { log });
    accounts = await fuzzAccounts(server, provider.apiKey);
    file = await picture(2, 2, 'png');
    for (const key of [accounts.user, accounts.searcher]) {
      const stored = await server.upload(file, { object: 'here', tags: 'a,b', folder: 'x/y' }, { key });
      assert.equal(stored.status, 200);
    }
    await eventually(async () => {
      const { body } = await server.json('/analysis/', { key: accounts.searcher });
      assert.equal(body.analysed, 1);
    });
  });
  after(async () => {
    await server.stop();
    await provider.close();
  });

  async function check({ method, url, key, type, body, headers }: ApiRequest): Promise<void> {
    const answer = await server.app.http.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${key}`,
        ...(type === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: body }),
    });
    const header = (name: string) => answer.headers[name]?.toString();
    checkAnswer({ status: answer.statusCode, header, text: answer.body });
  }

  test('every hostile string in every place', async () => {
    const requests = hostileRequests(accounts, file);
    assert.ok(requests.length >= 5000, `${requests.length} requests`);
    const make = (_: unknown, index: number): ApiRequest => requests[index] as ApiRequest;
    await fuzz({ name: 'hostile strings', cases: requests.length, make, check, atOnce: 32 });
  });

  test('wild JSON, queries and uploads', () =>
    fuzz({
      name: 'requests',
      cases: share(0.1),
      make: (random) => wildRequest(random, accounts, file),
      check,
      atOnce: 32,
    }));

  test('long runs of anything in JSON', async () => {
    const requests = runRequests(accounts);
    const make = (_: unknown, index: number): ApiRequest => requests[index] as ApiRequest;
    await fuzz({ name: 'long runs in JSON', cases: requests.length, make, check });
  });

  test('nothing was an error of ours, and the service is clean', async () => {
    assert.deepEqual(faults, []);
    assert.ok(provider.requests.length > 500, 'questions went all the way');
    await assertClean(server);
  });
});
