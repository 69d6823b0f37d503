// The MCP server as a process: what its key may do, a service that goes away, calls that are called off, and its end.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { newAccount, newKey } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { FaultyProxy } from '../support/faulty-proxy.ts';
import { fileSource } from '../support/file-source.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { assertFails, assertSucceeds, startAssistant } from './mcp-assistant.ts';
import { runCli } from './run-cli.ts';

let server: TestServer;
let scratch: string;
let file: string;
let ownersKey: string;
before(async () => {
  server = await startServer({ UPLOAD_ALLOW_PRIVATE: 'on' });
  scratch = await mkdtemp(join(tmpdir(), 'tintype-mcp-'));
  file = join(scratch, 'boats.jpg');
  await writeFile(file, await picture(60, 40));
  ({ api_key: ownersKey } = await newAccount(server));
  await server.upload(await picture(50, 40), { object: 'there' }, { key: ownersKey });
});
after(async () => {
  await server.stop();
  await rm(scratch, { recursive: true, force: true });
});

const accessWith = (key: string, url = server.url) => ({ TINTYPE_URL: url, TINTYPE_KEY: key });
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a key that may only read makes an assistant that only reads', async () => {
  const { api_key: readOnly } = await newKey(server, ownersKey, { scopes: ['read'] });
  await using assistant = await startAssistant(accessWith(readOnly));
  for (const [name, input] of [
    ['list_objects', {}],
    ['get_object', { object_id: 'there' }],
    ['list_tags_and_folders', {}],
    ['get_account', {}],
  ] as const)
    assertSucceeds(await assistant.call(name, input));
  for (const [name, input] of [
    ['upload_object', { path: file }],
    ['transform_image', { object_id: 'there', width: 20 }],
    ['tag_objects', { object_ids: ['there'], action: 'add', tags: ['x'] }],
    ['delete_object', { object_id: 'there', confirm: true }],
  ] as const)
    assertFails(await assistant.call(name, input), /^This API key does not have the scope "write"/);
  assert.equal((await server.json('/get/there', { key: ownersKey })).status, 200);
});

test('a key that is wrong, and one that may not read, are told', async () => {
  await using stranger = await startAssistant(accessWith('tt_no_such_key_at_all'));
  assertFails(await stranger.call('get_account'), /^Invalid or missing API key$/);
  const { api_key: writeOnly } = await newKey(server, ownersKey, { scopes: ['write'] });
  await server.upload(await picture(50, 41), { object: 'unseen' }, { key: ownersKey });
  await using writer = await startAssistant(accessWith(writeOnly));
  assertFails(await writer.call('list_objects'), /scope "read"/);
  assert.equal(
    assertSucceeds(await writer.call('delete_object', { object_id: 'unseen', confirm: true })).text,
    'Deleted unseen.',
  );
});

test('a service that goes away is told in a sentence, and is used again when it is back', async () => {
  const proxy = await FaultyProxy.before(server.url);
  await using assistant = await startAssistant(accessWith(ownersKey, proxy.endpoint));
  assertSucceeds(await assistant.call('get_account'));
  await proxy.set({ kind: 'refuse' });
  const away = /^The service at http:\/\/127\.0\.0\.1:\d+ cannot be reached\. Ask the user/;
  assertFails(await assistant.call('get_account'), away);
  assertFails(await assistant.call('upload_object', { path: file }), away);
  await proxy.set({ kind: 'none' });
  assertSucceeds(await assistant.call('get_account'));
  await proxy.stop();
});

test('a call that is called off ends at the service too, and others go on', async () => {
  let isHeld = false;
  let isLeft = false;
  await using web = await fileSource({
    '/never.jpg': (response) => {
      isHeld = true;
      response.on('close', () => (isLeft = true));
    },
  });
  await using assistant = await startAssistant(accessWith(ownersKey));
  const off = new AbortController();
  const upload = assistant.call('upload_object', { url: `${web.url}/never.jpg` }, { signal: off.signal });
  await eventually(() => assert.ok(isHeld));
  assertSucceeds(await assistant.call('get_account'));
  off.abort();
  await assert.rejects(upload);
  await eventually(() => assert.ok(isLeft));
  assertSucceeds(await assistant.call('get_account'));
});

test('it ends when the assistant goes, and when it is told to', async () => {
  const gone = await startAssistant(accessWith(ownersKey));
  assertSucceeds(await gone.call('get_account'));
  await gone.client.close();
  await eventually(() => assert.ok(!isRunning(gone.pid)));
  assert.equal(await gone.errors, '');

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const child = spawn(process.execPath, ['bin/tintype.js', 'mcp'], {
      env: { PATH: process.env['PATH'], ...accessWith(ownersKey) },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const greeting = { jsonrpc: '2.0', id: 1, method: 'ping' };
    child.stdin.write(`${JSON.stringify(greeting)}\n`);
    await once(child.stdout, 'data');
    child.kill(signal);
    assert.deepEqual(await once(child, 'exit'), [0, null], signal);
  }
});

test('only the protocol is on standard output, whatever comes in', async () => {
  const child = spawn(process.execPath, ['bin/tintype.js', 'mcp'], {
    env: { PATH: process.env['PATH'], ...accessWith(ownersKey) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = text(child.stdout);
  const clientInfo = { name: 'test', version: '1' };
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const lines: unknown[] = [
    'no JSON at all',
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'ping' },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'no_such_tool', arguments: {} } },
    { jsonrpc: '2.0', id: 4, method: 'no/such/method' },
    { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'get_account', arguments: 'none' } },
    { neither: 'request nor answer' },
    [],
    { jsonrpc: '2.0', id: 6, method: 'tools/call', params: { name: 'get_account' } },
  ];
  for (const line of lines) child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await eventually(() => assert.match(said, /"id":6/));
  child.stdin.end();
  await once(child, 'exit');
  const answers = (await output)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  assert.equal(byId.get(1).result.serverInfo.name, 'tintype');
  assert.deepEqual(byId.get(2).result, {});
  for (const id of [3, 4, 5]) assert.ok(byId.get(id).error, String(id));
  assert.equal(byId.get(6).result.isError, undefined);
  assert.equal(child.exitCode, 0);
});

test('wrong use is told on standard error', async () => {
  const cases: [string[], Record<string, string>, RegExp][] = [
    [[], {}, /^Say which service to use: TINTYPE_URL in the environment, or --server/],
    [['--server', 'nowhere'], {}, /^--server must be an address/],
    [[], { TINTYPE_URL: server.url }, /^Say which API key to use with/],
    [['x'], {}, /^Unexpected argument "x"/],
  ];
  for (const [args, environment, sentence] of cases) {
    const { code, stdout, stderr } = await runCli(['mcp', ...args], environment);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, sentence);
  }
  const wrong = await runCli(['mcp'], { TINTYPE_URL: 'ftp://x', TINTYPE_KEY: 'short' });
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /TINTYPE_URL must be .*\n.*TINTYPE_KEY must be/);
});

test('nothing but this command loads the protocol', () => {
  const loading = globSync('src/**/*.ts').filter((name) =>
    /^import (?!type )[^;]*(@modelcontextprotocol|\/mcp\/serve-mcp\.ts)/m.test(readFileSync(name, 'utf8')),
  );
  assert.deepEqual(loading.sort(), ['src/cli/mcp.ts', 'src/mcp/serve-mcp.ts']);
  const commands = readFileSync('src/cli/commands.ts', 'utf8');
  assert.match(commands, /import\('\.\/mcp\.ts'\)/);
});
