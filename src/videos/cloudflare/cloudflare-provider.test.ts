import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { providerElsewhereContract } from '../../../test/contracts/provider-elsewhere-contract.ts';
import { type CloudflareStandIn, cloudflareStandIn } from '../../../test/support/cloudflare-stand-in.ts';
import { type FilmAtProvider, filmAtProvider } from '../../../test/support/film-at-provider.ts';
import { masterRenditions } from '../../../test/support/provider-stand-in.ts';
import { FilmFault, type VideoProvider } from '../provider.ts';
import { createCloudflareProvider } from './cloudflare-provider.ts';

const originalUrl = 'https://img.example.com/files/bucket/vid-film/original';

function providerAt({ baseUrl, accountId, apiToken }: CloudflareStandIn): VideoProvider {
  return createCloudflareProvider({ accountId, apiToken, baseUrl, guardedFetch: fetch });
}

providerElsewhereContract('Cloudflare Stream', async () => {
  const cloudflare = await cloudflareStandIn();
  const { baseUrl, accountId, videos, videoOf } = cloudflare;
  return {
    title: 'Cloudflare Stream',
    served: cloudflare,
    provider: providerAt(cloudflare),
    stranger: createCloudflareProvider({ accountId, apiToken: 'wrong-token', baseUrl, guardedFetch: fetch }),
    secret: 'wrong-token',
    creation: `POST /client/v4/accounts/${accountId}/stream/copy`,
    idOf: (generation) => videoOf(generation).uid,
    urlOf: (generation) => videoOf(generation)['playback'].hls,
    count: () => videos.length,
    fetchOriginal: cloudflare.fetchOriginal,
    working: (generation, percent) => cloudflare.encode(generation, `${percent}.000000`),
    finish: cloudflare.finish,
    fail: (generation, reason) => cloudflare.fail(generation, 'ERR_MALFORMED_VIDEO', reason),
    lose: (generation) => void videos.splice(videos.indexOf(videoOf(generation)), 1),
  };
});

describe('Cloudflare Stream', () => {
  let cloudflare: CloudflareStandIn;
  let provider: VideoProvider;
  let at: FilmAtProvider;
  beforeEach(async () => {
    cloudflare = await cloudflareStandIn();
    provider = providerAt(cloudflare);
    at = filmAtProvider(originalUrl);
    await at.work(provider);
  });
  afterEach(() => cloudflare[Symbol.asyncDispose]());
  const stream = () => ({
    kind: 'elsewhere' as const,
    url: cloudflare.videoOf(at.film.generation)['playback'].hls as string,
    renditions: masterRenditions,
  });

  test('a video that can be played is published once, and ready when all qualities are there', async () => {
    cloudflare.makePlayable(at.film.generation, '39.000000');
    assert.equal((await at.work(provider)).kind, 'waiting');
    cloudflare.makePlayable(at.film.generation, '70.000000', 'ready');
    assert.equal((await at.work(provider)).kind, 'waiting');
    assert.deepEqual(at.published, [stream()]);
    assert.deepEqual(at.percents, [39, 70]);
    cloudflare.finish(at.film.generation);
    assert.deepEqual(await at.work(provider), { kind: 'ready', stream: stream() });
  });

  test('a kill between publishing and our note of it publishes again', async () => {
    cloudflare.makePlayable(at.film.generation, '39.000000');
    await assert.rejects(at.work(provider, { remember: () => Promise.reject(new Error('killed')) }));
    assert.equal((await at.work(provider)).kind, 'waiting');
    assert.deepEqual(at.published, [stream(), stream()]);
  });

  test('one that stays below 100% for half an hour is taken as it is', async () => {
    cloudflare.makePlayable(at.film.generation, '39.000000', 'ready');
    await at.work(provider);
    const state = at.state as { playableSinceMs: number };
    at.state = { ...state, playableSinceMs: Date.now() - 29 * 60_000 };
    assert.equal((await at.work(provider)).kind, 'waiting');
    at.state = { ...state, playableSinceMs: Date.now() - 31 * 60_000 };
    assert.deepEqual(await at.work(provider), { kind: 'ready', stream: stream() });
  });

  test('ready without a percentage is ready', async () => {
    Object.assign(cloudflare.videoOf(at.film.generation), {
      status: { state: 'ready' },
      readyToStream: true,
    });
    assert.equal((await at.work(provider)).kind, 'ready');
  });

  test('its guide spells the reason of an error differently from its reference', async () => {
    const status = {
      state: 'error',
      errReasonCode: 'ERR_NON_VIDEO',
      errReasonText: 'The upload is not a video.',
    };
    Object.assign(cloudflare.videoOf(at.film.generation), { status });
    await assert.rejects(at.work(provider), {
      constructor: FilmFault,
      message: 'Cloudflare Stream could not make a stream of this film: The upload is not a video',
    });
  });

  test('an address that is none of the web is not passed on', async () => {
    cloudflare.finish(at.film.generation);
    for (const hls of ['javascript:alert(1)', 'file:///etc/passwd', '/manifest.m3u8', 7, undefined]) {
      Object.assign(cloudflare.videoOf(at.film.generation), { playback: { hls } });
      await assert.rejects(at.work(provider), /answered something else/, String(hls));
    }
  });
});
