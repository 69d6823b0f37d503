import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemsOf } from '../test/support/config-problems.ts';
import { loadConfig } from './config.ts';

const BASE_URL = 'https://img.example.com';
const accountId = '0123456789abcdef0123456789ABCDEF';

describe('settings of video providers', () => {
  test('a provider elsewhere needs its credentials and an address to fetch films from, all told at once', () => {
    assert.deepEqual(problemsOf({ VIDEO_PROVIDER: 'mux' }), [
      'MUX_TOKEN_ID must be set for VIDEO_PROVIDER=mux',
      'MUX_TOKEN_SECRET must be set for VIDEO_PROVIDER=mux',
      'BASE_URL must be set for VIDEO_PROVIDER=mux, which fetches films from there',
    ]);
    assert.deepEqual(
      problemsOf({ VIDEO_PROVIDER: 'cloudflare', BASE_URL, CLOUDFLARE_ACCOUNT_ID: accountId }),
      ['CLOUDFLARE_API_TOKEN must be set for VIDEO_PROVIDER=cloudflare'],
    );
    assert.match(
      problemsOf({ VIDEO_PROVIDER: 'vimeo' })[0] ?? '',
      /^VIDEO_PROVIDER must be .*local.*mux.*cloudflare/,
    );
  });

  test('addresses of the files alone are enough, when both are set', () => {
    const mux = { VIDEO_PROVIDER: 'mux', MUX_TOKEN_ID: 'id', MUX_TOKEN_SECRET: 'secret-of-mux' };
    const apart = { FILES_URL: 'https://a.example.com', STORAGE_URL: 'https://b.example.com' };
    assert.deepEqual(problemsOf({ ...mux, ...apart }), []);
    assert.match(problemsOf({ ...mux, FILES_URL: apart.FILES_URL })[0] ?? '', /^BASE_URL must be set/);
  });

  test('a secret of a webhook is of no use without the credentials', () => {
    assert.deepEqual(problemsOf({ MUX_WEBHOOK_SECRET: 'whatever-secret', MUX_TOKEN_ID: 'id' }), [
      'MUX_TOKEN_SECRET must be set for MUX_WEBHOOK_SECRET to be used',
    ]);
    assert.equal(problemsOf({ CLOUDFLARE_WEBHOOK_SECRET: 'whatever-secret' }).length, 2);
  });

  test('credentials of a provider no longer chosen are kept, so that its films can be deleted', () => {
    const { videoProviders, VIDEO_PROVIDER } = loadConfig({
      MUX_TOKEN_ID: 'id',
      MUX_TOKEN_SECRET: 'secret-of-mux',
      MUX_BASE_URL: 'http://10.0.0.5:8080/',
      CLOUDFLARE_API_TOKEN: 'a-token-that-another-tool-uses',
    });
    assert.equal(VIDEO_PROVIDER, 'local');
    assert.deepEqual(videoProviders, {
      mux: { tokenId: 'id', tokenSecret: 'secret-of-mux', baseUrl: 'http://10.0.0.5:8080' },
      cloudflare: null,
    });
  });

  test('an account id that would be part of another path is refused, and not repeated', () => {
    for (const wrong of ['../../zones/hush', `${accountId}0`, 'hush', accountId.replace('a', 'g')]) {
      const [problem = 'accepted'] = problemsOf({ CLOUDFLARE_ACCOUNT_ID: wrong });
      assert.match(problem, /^CLOUDFLARE_ACCOUNT_ID must be 32 hex digits/, wrong);
      assert.ok(!problem.includes('hush'));
    }
  });
});
