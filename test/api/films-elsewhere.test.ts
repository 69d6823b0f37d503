// The whole service with a provider elsewhere (a stand-in that speaks Cloudflare's API): the addresses stay ours and lead
// to theirs.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type CloudflareStandIn,
  cloudflareStandIn,
  cloudflareWebhook,
} from '../support/cloudflare-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { untilStatus, uploadFilm } from '../support/film-server.ts';
import { makeFilm } from '../support/films.ts';
import { startServer, type TestServer } from '../support/server.ts';

const webhookSecret = 'cloudflare-webhook-secret';
const film = makeFilm({ seconds: 1 });

describe('films with a provider elsewhere', () => {
  let server: TestServer;
  let cloudflare: CloudflareStandIn;
  before(async () => {
    cloudflare = await cloudflareStandIn();
    server = await startServer({
      VIDEO_PROVIDER: 'cloudflare',
      CLOUDFLARE_ACCOUNT_ID: cloudflare.accountId,
      CLOUDFLARE_API_TOKEN: cloudflare.apiToken,
      CLOUDFLARE_BASE_URL: cloudflare.baseUrl,
      CLOUDFLARE_WEBHOOK_SECRET: webhookSecret,
    });
  });
  after(async () => {
    await server.stop();
    await cloudflare[Symbol.asyncDispose]();
  });

  /** Of the film they were asked for last. */
  const ingested = (): Promise<string> =>
    eventually(() => {
      const creator = cloudflare.videos[0]?.creator;
      assert.ok(creator);
      return creator;
    });

  test('are fetched by it, and told of by its webhook; our address leads to its stream', async () => {
    const { object_id: id, video_url: url, object_url: base } = await uploadFilm(server, film);
    const waiting = await server.json(url, { key: null });
    assert.deepEqual([waiting.status, waiting.body.error], [404, 'Video is still processing']);
    assert.equal((await server.call(`${base}w-100.webp`, { key: null })).status, 200, 'its poster is ours');
    const generation = await ingested();
    await cloudflare.fetchOriginal(generation);
    assert.equal(cloudflare.videoOf(generation).status.state, 'queued', 'it could fetch the original');
    cloudflare.finish(generation);
    const { body, headers } = cloudflareWebhook(generation, { secret: webhookSecret });
    const told = await server.json('/providers/cloudflare/webhook', {
      method: 'POST',
      body,
      headers,
      key: null,
    });
    assert.equal(told.status, 200);
    await untilStatus(server, id);
    const stream = await server.call(url, { key: null, redirect: 'manual' });
    assert.equal(stream.status, 302);
    assert.equal(stream.headers.get('location'), cloudflare.videoOf(generation).playback.hls);
    assert.equal(stream.headers.get('access-control-allow-origin'), '*');
    assert.equal((await server.call(`${base}original.mp4`, { key: null })).status, 404);
    await server.json(`/delete/${id}`, { method: 'DELETE' });
    await eventually(() => assert.deepEqual(cloudflare.videos, [], 'deleted there too'));
  });

  test('that it cannot make streams of have failed, with its words', async () => {
    const { object_id: id } = await uploadFilm(server, film);
    cloudflare.fail(await ingested(), 'ERR_MALFORMED_VIDEO', 'The video was deemed to be corrupted.');
    const { error } = await untilStatus(server, id, 'failed');
    assert.match(error, /deemed to be corrupted/);
  });

  test('outlast its outages', async () => {
    await eventually(() => assert.equal(cloudflare.faults.length, 0));
    cloudflare.videos.length = 0;
    cloudflare.faults.push(...Array.from({ length: 3 }, () => ({ status: 500 })));
    const { object_id: id } = await uploadFilm(server, film);
    const generation = await eventually(() => ingested(), 60_000);
    cloudflare.finish(generation);
    await untilStatus(server, id);
  });
});
