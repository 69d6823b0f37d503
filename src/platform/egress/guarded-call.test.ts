// Calls to addresses that accounts chose: none may lead inside, whatever the address says and whatever becomes of it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { insideHosts } from '../../../test/support/inside-hosts.ts';
import { callOut } from './call-out.ts';
import { guardedLookup, type Resolve } from './guarded-lookup.ts';

const refused = { message: 'the address is not on the public internet' };
/** Reachable at every address of this machine, and counting whoever so much as connects. */
let server: Server;
let port: number;
let connections = 0;
let answered = 0;
before(async () => {
  server = createServer((_request, response) => {
    answered += 1;
    response.writeHead(302, { Location: `http://127.0.0.1:${port}/inside` }).end();
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '::');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  connections = 0;
  answered = 0;
});

const call = (host: string, options: { resolve?: Resolve; allowPrivate?: boolean } = {}) =>
  callOut({
    audience: 'account',
    allowPrivate: false,
    url: `http://${host}:${port}/hook`,
    method: 'POST',
    headers: {},
    body: 'x',
    deadlineMs: 2000,
    ...options,
  });
const resolvingTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;

describe('an address of an account', () => {
  test('the server of this test can be reached, so that a refusal means something', async () => {
    for (const host of ['127.0.0.1', '[::1]', '127.1', '[::ffff:7f00:1]', 'localhost'])
      assert.equal((await call(host, { allowPrivate: true })).status, 302, host);
    assert.equal(answered, 5);
  });

  test(`${insideHosts.length} spellings of inside: none is connected to`, async () => {
    assert.ok(insideHosts.length >= 150);
    const inside = resolvingTo('127.0.0.1');
    const accepted: string[] = [];
    for (const host of insideHosts) {
      for (const protocol of ['http', 'https'])
        await callOut({
          audience: 'account',
          allowPrivate: false,
          resolve: inside,
          url: `${protocol}://${host}:${port}/`,
          method: 'POST',
          headers: {},
          deadlineMs: 2000,
        }).then(
          () => accepted.push(host),
          // Some are no addresses at all.
          (error: Error) => assert.match(error.message, /not on the public internet|Invalid URL/, host),
        );
    }
    assert.deepEqual(accepted, []);
    assert.equal(connections, 0);
  });

  test('a name is judged by all that it resolves to', async () => {
    const inside = [
      ['127.0.0.1'],
      ['::1'],
      ['::ffff:127.0.0.1'],
      ['::ffff:7f00:1'],
      ['0.0.0.0'],
      ['::'],
      ['10.0.0.1'],
      ['169.254.169.254'],
      ['64:ff9b::7f00:1'],
      ['93.184.215.14', '127.0.0.1'],
      ['127.0.0.1', '93.184.215.14'],
      ['2606:4700:4700::1111', 'fd00::1'],
      [],
      ['not an address'],
    ];
    for (const addresses of inside)
      await assert.rejects(
        call('hooks.example.com', { resolve: resolvingTo(...addresses) }),
        refused,
        addresses.join(),
      );
    assert.equal(connections, 0);
  });

  test('a name that was public when it was looked at first and leads inside when it is called', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1'], ['127.0.0.1']];
    let asked = 0;
    const rebinding: Resolve = async () => answers[asked++] ?? [];
    const lookup = guardedLookup(rebinding);
    const first = await new Promise<unknown>((resolve) =>
      lookup('rebind.example.com', { all: true }, (error, addresses) => resolve(error ?? addresses)),
    );
    assert.deepEqual(first, [{ address: '93.184.215.14', family: 4 }]);
    await assert.rejects(call('rebind.example.com', { resolve: rebinding }), refused);
    await assert.rejects(call('rebind.example.com', { resolve: rebinding }), refused);
    assert.equal(asked, 3, 'it is looked up for every call');
    assert.equal(connections, 0);
  });

  test('the socket goes to the very address that was judged', async () => {
    const lookup = guardedLookup(resolvingTo('93.184.215.14', '2606:4700:4700::1111'));
    const one = await new Promise((resolve) =>
      lookup('x.example.com', {}, (error, address, family) => resolve([error, address, family])),
    );
    assert.deepEqual(one, [null, '93.184.215.14', 4]);
    const socket = connect({ host: 'x.example.com', port, lookup: guardedLookup(resolvingTo('10.1.2.3')) });
    const [error] = (await once(socket, 'error').catch((reason: unknown) => [reason])) as [Error];
    assert.equal(error.constructor.name, 'PrivateAddress');
  });

  test('a failing look-up names nothing', async () => {
    const failing: Resolve = () =>
      Promise.reject(Object.assign(new Error('hooks.example.com is secret'), { code: 'ENOTFOUND' }));
    await assert.rejects(call('hooks.example.com', { resolve: failing }), {
      message: 'no connection (ENOTFOUND)',
    });
  });

  test('a redirect to inside is an answer, not an order', async () => {
    assert.equal((await call('127.0.0.1', { allowPrivate: true })).status, 302);
    assert.equal(answered, 1);
  });

  test('no connection is kept for the next call', async () => {
    for (let index = 0; index < 3; index++) await call('127.0.0.1', { allowPrivate: true });
    assert.equal(connections, 3);
  });
});
