import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { bytesUntilEnd } from './bytes-until-end.ts';

/** Sends so many bytes of a longer body and hangs up; they are read with a pause after each piece. */
async function readBroken(sentBytes: number): Promise<{ bytes: number; error: unknown }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n');
  const [request] = await arrived;
  client.end(Buffer.alloc(sentBytes));
  let bytes = 0;
  try {
    for await (const chunk of bytesUntilEnd(request)) {
      bytes += chunk.length;
      await delay(20);
    }
    return { bytes, error: null };
  } catch (error) {
    return { bytes, error };
  } finally {
    client.destroy();
    server.close();
  }
}

for (const sentBytes of [1, 40_000, 300_000, 700_001])
  test(`${sentBytes} bytes before the line breaks are all read, however slowly`, async () => {
    const { bytes, error } = await readBroken(sentBytes);
    assert.equal(bytes, sentBytes);
    assert.match(String(error), /aborted/, 'and then it is told that the rest is missing');
  });
