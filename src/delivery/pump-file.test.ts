import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileOf, pumpFile } from './pump-file.ts';

const size = 3_000_001;
const files = Array.from({ length: 4 }, () => randomBytes(size));
let folder: string;
let server: Server;
let url: string;
const outcomes: boolean[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tintype-pump-'));
  for (const [index, bytes] of files.entries()) writeFileSync(join(folder, String(index)), bytes);
  server = createServer((request, response) => {
    const [, name = '', start, end] = (request.url ?? '').split('/');
    void (async () => {
      const handle = await open(join(folder, name === 'longer' ? '0' : name));
      const range = start === undefined ? {} : { start: Number(start), end: Number(end) };
      const body = handle.createReadStream(range);
      const file = fileOf(body);
      assert.ok(file);
      const bytes = name === 'longer' ? size + 1 : Number(end ?? size - 1) - Number(start ?? 0) + 1;
      const whole = await pumpFile(file, bytes, response);
      outcomes.push(whole);
      if (!whole) response.destroy();
      body.destroy();
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const fetched = async (path: string): Promise<Buffer> =>
  Buffer.from(await (await fetch(url + path)).arrayBuffer());

describe('a file sent through buffers that are used again', () => {
  test('that is shorter than promised ends the connection', async () => {
    await assert.rejects(fetched('/longer'));
    assert.equal(outcomes.at(-1), false);
  });

  test('arrives whole, and so do its parts', async () => {
    assert.ok((await fetched('/0')).equals(files[0] as Buffer));
    for (const [start, end] of [
      [0, 0],
      [1, 131_072],
      [131_072, 262_143],
      [size - 1, size - 1],
      [5, size - 1],
    ] as const)
      assert.ok((await fetched(`/1/${start}/${end}`)).equals((files[1] as Buffer).subarray(start, end + 1)));
  });

  test('arrives whole at many who read at once, some of them late', async () => {
    const readers = Array.from({ length: 24 }, async (_, index) => {
      const response = await fetch(`${url}/${index % 4}`);
      if (index % 3 === 0) await pause(100);
      return Buffer.from(await response.arrayBuffer()).equals(files[index % 4] as Buffer);
    });
    assert.ok((await Promise.all(readers)).every(Boolean));
  });

  test('a client that hangs up in the middle ends it', async () => {
    outcomes.length = 0;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    // More than the buffers of the system hold.
    socket.write('GET /2 HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(6));
    await once(socket, 'data');
    socket.pause();
    await pause(50);
    socket.resetAndDestroy();
    while (outcomes.length < 6) await pause(10);
    assert.equal(outcomes.at(-1), false);
    assert.ok((await fetched('/2')).equals(files[2] as Buffer));
  });
});
