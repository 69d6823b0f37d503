import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { providerElsewhereContract } from '../../../test/contracts/provider-elsewhere-contract.ts';
import { filmAtProvider } from '../../../test/support/film-at-provider.ts';
import { type MuxStandIn, muxStandIn } from '../../../test/support/mux-stand-in.ts';
import { newGeneration } from '../../objects/object-keys.ts';
import type { VideoProvider } from '../provider.ts';
import { createMuxProvider } from './mux-provider.ts';

const originalUrl = 'https://img.example.com/files/bucket/vid-film/original';

function providerAt({ url, tokenId, tokenSecret }: MuxStandIn): VideoProvider {
  return createMuxProvider({ tokenId, tokenSecret, baseUrl: url, streamUrl: url, guardedFetch: fetch });
}

providerElsewhereContract('Mux', async () => {
  const mux = await muxStandIn();
  const { url, tokenId } = mux;
  return {
    title: 'Mux',
    served: mux,
    provider: providerAt(mux),
    stranger: createMuxProvider({ tokenId, tokenSecret: 'wrong-secret', baseUrl: url, guardedFetch: fetch }),
    secret: 'wrong-secret',
    creation: 'POST /video/v1/assets',
    idOf: (generation) => mux.assetOf(generation).id,
    urlOf: (generation) => `${url}/${mux.assetOf(generation)['playback_ids'][0].id}.m3u8`,
    count: () => mux.assets.length,
    fetchOriginal: mux.fetchOriginal,
    working: mux.transcode,
    finish: mux.finish,
    fail: (generation, reason) => mux.fail(generation, 'invalid_input', reason ? [reason] : []),
    lose: (generation) => void mux.assets.splice(mux.assets.indexOf(mux.assetOf(generation)), 1),
  };
});

describe('Mux', () => {
  let mux: MuxStandIn;
  let provider: VideoProvider;
  beforeEach(async () => {
    mux = await muxStandIn();
    provider = providerAt(mux);
  });
  afterEach(() => mux[Symbol.asyncDispose]());
  const pages = (): number => mux.seen.filter((line) => line === 'GET /video/v1/assets').length;

  test('is asked for public playback, with the address of the original and the generation', async () => {
    const at = filmAtProvider(originalUrl);
    await at.work(provider);
    const asset = mux.assetOf(at.film.generation);
    assert.equal(asset['inputUrl'], originalUrl);
    assert.equal(asset['playback_ids'][0].policy, 'public');
  });

  test('streams are at its own address unless another is set', async () => {
    const { url, tokenId, tokenSecret } = mux;
    const plain = createMuxProvider({ tokenId, tokenSecret, baseUrl: url, guardedFetch: onlyTo(url) });
    const at = filmAtProvider(originalUrl);
    await at.work(plain);
    mux.finish(at.film.generation);
    const worked = await at.work(plain);
    const { id } = mux.assetOf(at.film.generation)['playback_ids'][0];
    assert.deepEqual(worked, {
      kind: 'ready',
      stream: { kind: 'elsewhere', url: `https://stream.mux.com/${id}.m3u8`, renditions: [] },
    });
  });

  test('a first film costs one look at the newest assets, however many there are', async () => {
    mux.addStrangers(450, Date.now() - 24 * 3600_000);
    await filmAtProvider(originalUrl).work(provider);
    assert.equal(pages(), 1);
  });

  test('an asset is found behind newer ones, back to the time of the upload', async () => {
    const at = filmAtProvider(originalUrl);
    await assert.rejects(at.work(provider, { remember: () => Promise.reject(new Error('killed')) }));
    mux.addStrangers(250, Date.now());
    await at.work(provider);
    assert.equal(mux.assets.length, 251);
    assert.equal(at.assetId(), mux.assetOf(at.film.generation).id);
    await provider.remove(at.film, null);
    assert.equal(mux.assets.length, 250);
  });

  test('the search ends at the upload, and after 5,000 assets at the latest', async () => {
    mux.addStrangers(200, Date.now() - 3 * 24 * 3600_000);
    mux.addStrangers(200, Date.now() - 3600_000);
    await provider.remove({ generation: newGeneration(Date.now() - 24 * 3600_000) }, null);
    assert.equal(pages(), 3);
    mux.addStrangers(6000, Date.now());
    await provider.remove({ generation: newGeneration() }, null);
    assert.equal(pages(), 53);
  });

  test('takes nothing from the environment', async (context) => {
    const strange = {
      MUX_AUTHORIZATION_TOKEN: 'x',
      MUX_TOKEN_ID: 'y',
      MUX_BASE_URL: 'http://127.0.0.1:1',
      MUX_LOG: 'debug',
    };
    Object.assign(process.env, strange);
    context.after(() => {
      for (const name of Object.keys(strange)) delete process.env[name];
    });
    const at = filmAtProvider(originalUrl);
    await at.work(providerAt(mux));
    assert.equal(mux.assets.length, 1);
  });
});

/** The real address of streams is not for tests. */
function onlyTo(url: string): typeof fetch {
  return (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    return address.startsWith(url) ? fetch(input, init) : Promise.reject(new TypeError('not in a test'));
  };
}
