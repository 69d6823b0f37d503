// A machine that goes for good in the middle of something: what it had begun is taken up by the others, and what it had not
// acknowledged leaves nothing to see.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { operatorKey } from '../crash/api.ts';
import { sha256 } from '../crash/uploads.ts';
import { eventually } from '../support/eventually.ts';
import { makeFilm } from '../support/films.ts';
import { filePart, multipart, multipartType } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { Nodes, skipWithoutServer } from './nodes.ts';
import type { TintypeNode } from './tintype-node.ts';

/** That of a job, after which anybody may take it: nobody can tell from another machine that its holder is dead. */
const leaseMs = 60_000;
const transcodingMs = 120_000;
/** What a node looks for when word of it was lost, and some room for a busy machine. */
const lookMs = 10_000;

type Details = { status: string; progress: number; video_url: string };

describe('a node that dies for good', { skip: skipWithoutServer }, () => {
  test('in the middle of an upload leaves nothing, and the id is free', async () => {
    await using nodes = await Nodes.start({ count: 2 });
    const [dying, other] = nodes.all as [TintypeNode, TintypeNode];
    const file = await picture(400, 300);
    const body = multipart([{ name: 'object', value: 'half' }, filePart(file)]);
    const socket = connect(dying.options.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(
      `POST /upload/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operatorKey}\r\n` +
        `Content-Type: ${multipartType}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await new Promise<void>((resolve) => socket.write(body.subarray(0, body.length / 2), () => resolve()));
    await other.api.ask('/user/');
    await dying.kill();
    const user = await other.api.askJson<{ storage_used: number }>('/user/');
    assert.equal(user.storage_used, 0);
    assert.equal((await other.api.send('/get/half'))?.status, 404);
    const address = await uploadTo(other, 'half', file);
    assert.equal(sha256((await other.api.ask(`${address}original`)).bytes), sha256(file));
  });

  test('in the middle of a rendering: another node renders it', async () => {
    await using nodes = await Nodes.start({ count: 2 });
    const [dying, other] = nodes.all as [TintypeNode, TintypeNode];
    const address = await uploadTo(other, 'large', await picture(3000, 2500));
    const lost = dying.api.send(`${address}w-2800.avif`);
    await eventually(async () => {
      const metrics = String((await dying.api.ask('/metrics')).bytes);
      assert.match(metrics, /^tintype_renderings_busy [1-9]/m);
    });
    await dying.kill();
    assert.equal(await lost, null);
    const answer = await other.api.ask(`${address}w-1400.webp`);
    assert.equal(answer.headers.get('content-type'), 'image/webp');
  });

  test(
    'in the middle of a film: another node finishes it when the lease is over',
    { timeout: leaseMs + transcodingMs + 60_000 },
    async () => {
      await using nodes = await Nodes.create({ count: 2 });
      const [dying, other] = nodes.all as [TintypeNode, TintypeNode];
      await dying.start();
      const film = makeFilm({ container: 'avi', seconds: 8, width: 640, height: 360 });
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(film)]), 'film.avi');
      const { object_id: id } = await dying.api.askJson<{ object_id: string }>('/upload/', {
        method: 'POST',
        body: form,
      });
      const details = (node: TintypeNode): Promise<Details> => node.api.askJson<Details>(`/get/${id}`);
      await eventually(async () => assert.equal((await details(dying)).status, 'processing'), transcodingMs);
      // Started before the death: only a start of a node on the same machine takes over at once.
      await other.start();
      assert.equal((await details(other)).status, 'processing', 'it was done before anybody died');
      await dying.kill();
      const diedAt = performance.now();
      await eventually(
        async () => {
          const [job] = await nodes.query<{ leased_by: string }>(
            `select leased_by from jobs where kind = 'process-film' and leased_by like '%-${other.pid}-%'`,
          );
          assert.ok(job ?? (await details(other)).status === 'ready');
        },
        leaseMs + lookMs + 10_000,
      );
      const takenAfterMs = performance.now() - diedAt;
      console.log(`taken over ${Math.round(takenAfterMs)} ms after the death (lease ${leaseMs} ms)`);
      assert.ok(takenAfterMs < leaseMs + lookMs, `taken over only after ${takenAfterMs} ms`);
      const ready = await eventually(async () => {
        const found = await details(other);
        assert.equal(found.status, 'ready', JSON.stringify(found));
        return found;
      }, transcodingMs);
      assert.match(String((await other.api.ask(new URL(ready.video_url).pathname)).bytes), /^#EXTM3U/);
    },
  );
});

/** The path of its public address. */
async function uploadTo({ api }: TintypeNode, id: string, file: Buffer): Promise<string> {
  const body = new FormData();
  body.append('object', id);
  body.append('file', new Blob([new Uint8Array(file)]), 'x.jpg');
  const { object_url: url } = await api.askJson<{ object_url: string }>('/upload/', { method: 'POST', body });
  return new URL(url).pathname;
}
