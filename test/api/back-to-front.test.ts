// A connection that left the front for node:http comes back to it in the end: it is ended after many answers from memory.
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { after, before, test } from 'node:test';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let address: string;

before(async () => {
  server = await startServer();
  const { body } = await server.upload(await picture(40, 30));
  address = `${body.object_url}w-20.webp`;
  await (await fetch(address)).arrayBuffer();
});
after(() => server.stop());

test('after 200 hits on the slower way', async () => {
  using agent = Object.assign(new Agent({ keepAlive: true, maxSockets: 1 }), {
    [Symbol.dispose]: () => agent.destroy(),
  });
  const ask = (headers: Record<string, string> = {}) =>
    new Promise<{ connection: string; port: number }>((resolve, reject) => {
      get(address, { agent, headers }, (response) => {
        const port = response.socket.localPort as number;
        response.resume().on('end', () => resolve({ connection: response.headers.connection ?? '', port }));
      }).on('error', reject);
    });
  const plain = await ask();
  // Nothing the front would answer.
  const answers = [await ask({ 'if-none-match': '"x"' })];
  while (answers.length < 200) answers.push(await ask());
  assert.deepEqual(new Set(answers.map(({ port }) => port)), new Set([plain.port]), 'one connection');
  assert.deepEqual(
    answers.map(({ connection }) => connection),
    [...Array.from({ length: 199 }, () => 'keep-alive'), 'close'],
  );
  const next = await ask();
  assert.equal(next.connection, 'keep-alive');
  assert.notEqual(next.port, plain.port);
});
