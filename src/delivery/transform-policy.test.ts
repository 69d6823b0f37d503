import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import type { ObjectFacts } from './object-facts.ts';
import { checkPolicy, isOpen, type PolicyCheck } from './transform-policy.ts';

const secret = 'ttsign_secret';
const path = '/files/0123456789abcdef/cat/w-300.webp';
const soon = Math.floor(Date.now() / 1000) + 60;
const listed = ['original', 'original.webp', 'h-200_w-200.webp'];
const others = ['w-300.webp', 'h-200_w-201.webp', 'h-200_w-200.jpg', 'h-200_q-80_w-200.webp'];

function factsWith(values: Partial<ObjectFacts>): ObjectFacts {
  return {
    backend: 'files',
    bucket_id: '0123456789abcdef',
    object_id: 'cat',
    generation: 'g'.repeat(24),
    custom_id: 1,
    type: 'image/png',
    size_bytes: 1,
    sha256: '',
    width: 1,
    height: 1,
    frames: 1,
    alpha: 0,
    kind: 'image',
    duration_ms: null,
    status: 'ready',
    film: null,
    tier: 'enterprise',
    storage_limit_bytes: null,
    video_seconds_limit: null,
    rate_limit_per_minute: null,
    variants_per_minute: null,
    presets: {},
    transform_policy: 'open',
    signing_secret_sealed: `sealed:${secret}`,
    stale: false,
    inDoubt: false,
    ...values,
  };
}

function sign(exp: number | string, over: { path?: string; secret?: string } = {}): string {
  return createHmac('sha256', over.secret ?? secret)
    .update(`${over.path ?? path}?exp=${exp}`)
    .digest('base64url');
}

function check(values: Partial<ObjectFacts>, more: Partial<PolicyCheck> = {}): Promise<void> {
  return checkPolicy({
    facts: factsWith(values),
    name: 'w-300.webp',
    presetAlone: false,
    path,
    query: new URLSearchParams(),
    isKept: () => Promise.resolve(false),
    openSecret: (sealed) => sealed.replace('sealed:', ''),
    ...more,
  });
}

const signed = (query: string, values: Partial<ObjectFacts> = {}): Promise<void> =>
  check({ transform_policy: 'signed', ...values }, { query: new URLSearchParams(query) });

const refused = { name: 'AppError', code: 'transformation_not_allowed', status: 403 };

describe('transform policy', () => {
  test('open: everything, and all of it may be kept in memory', async () => {
    for (const name of [...listed, ...others]) {
      await check({ transform_policy: 'open' }, { name });
      assert.ok(isOpen(factsWith({ transform_policy: 'open' }), name, false));
    }
  });

  test('presets: the original in every format, the thumbnail, and what was made with /create', async () => {
    const transform_policy = 'presets';
    for (const name of [...listed, 'original.avif', 'original.jpg'])
      await check({ transform_policy }, { name });
    for (const name of others) {
      await assert.rejects(check({ transform_policy }, { name }), refused, name);
      await check({ transform_policy }, { name, isKept: () => Promise.resolve(true) });
      assert.ok(!isOpen(factsWith({ transform_policy }), name, false));
    }
  });

  test('signed: the addresses of listings stay open, the rest needs a signature', async () => {
    const transform_policy = 'signed';
    for (const name of listed) await check({ transform_policy }, { name });
    for (const name of [...others, 'original.avif', 'original.jpg']) {
      await assert.rejects(check({ transform_policy }, { name }), refused, name);
      await assert.rejects(
        check({ transform_policy }, { name, isKept: () => Promise.resolve(true) }),
        refused,
        name,
      );
      assert.ok(!isOpen(factsWith({ transform_policy }), name, false));
    }
    await signed(`exp=${soon}&sig=${sign(soon)}`);
    await signed(`dl=cat.webp&sig=${sign(soon)}&exp=${soon}`);
  });

  test('a signature is for one path, one time and one secret', async () => {
    const wrong = [
      '',
      `exp=${soon}`,
      `sig=${sign(soon)}`,
      `exp=${soon}&sig=`,
      `exp=${soon + 1}&sig=${sign(soon)}`,
      `exp=${soon}&sig=${sign(soon, { path: `${path}x` })}`,
      `exp=${soon}&sig=${sign(soon, { secret: 'ttsign_other' })}`,
      `exp=${soon}&sig=${sign(soon).slice(0, -4)}`,
      `exp=${soon}&sig=${sign(soon)}AAAA`,
      `exp=${soon}&sig=${sign(soon).toLowerCase()}`,
      `exp=0${soon}&sig=${sign(soon)}`,
    ];
    for (const query of wrong) await assert.rejects(signed(query), refused, query);
  });

  test('a time that is past or no number is refused, however well it is signed', async () => {
    const past = Math.floor(Date.now() / 1000) - 1;
    for (const exp of [past, 0, '', ' ', '-1', '1e12', `${soon}.5`, 'Infinity', '9'.repeat(13)])
      await assert.rejects(signed(`exp=${encodeURIComponent(exp)}&sig=${sign(exp)}`), refused, String(exp));
  });

  test('without a secret nothing can be signed', async () => {
    const query = `exp=${soon}&sig=${sign(soon, { secret: '' })}`;
    await assert.rejects(signed(query, { signing_secret_sealed: null }), refused);
  });
});
