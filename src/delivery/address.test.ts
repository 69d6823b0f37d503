import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createAddressMatcher } from './address.ts';

const bucket = '0123456789abcdef';
const base = 'https://img.example.com';
const sameHost = { base, files: `${base}/files`, storage: `${base}/storage` };
const otherHosts = {
  base,
  files: 'https://cdn.example.com',
  storage: 'https://img.example.net:8443/st',
};
const rest = `${bucket}/cat/w-200.webp`;
const cat = { bucketId: bucket, objectId: 'cat', rendition: 'w-200.webp' };

describe('public addresses', () => {
  test('on the API’s own host the path tells objects from the API', () => {
    const match = createAddressMatcher(sameHost);
    for (const host of ['img.example.com', 'localhost:3000', undefined]) {
      assert.deepEqual(match(host, `/files/${rest}`), { backend: 'files', ...cat });
      assert.deepEqual(match(host, `/storage/${rest}`), { backend: 'storage', ...cat });
      assert.equal(match(host, '/upload/'), 'not ours');
      assert.equal(match(host, '/'), 'not ours');
      assert.equal(match(host, '/files'), 'not ours');
      assert.equal(match(host, '/filesystem/x'), 'not ours');
      assert.equal(match(host, '/files/'), 'no object');
    }
  });

  test('a host of their own serves objects and nothing else', () => {
    const match = createAddressMatcher(otherHosts);
    assert.deepEqual(match('cdn.example.com', `/${rest}`), { backend: 'files', ...cat });
    assert.deepEqual(match('img.example.net:8443', `/st/${rest}`), { backend: 'storage', ...cat });
    for (const path of ['/', '/upload/', '/docs', '/health/live', `/files/${rest}`]) {
      assert.equal(match('cdn.example.com', path), 'no object', path);
      assert.equal(match('img.example.net:8443', path), 'no object', path);
    }
    assert.equal(match('img.example.com', '/upload/'), 'not ours');
    assert.equal(match('img.example.com', `/${rest}`), 'not ours');
  });

  test('a host is the same in capitals', () => {
    const match = createAddressMatcher(otherHosts);
    assert.deepEqual(match('CDN.Example.COM', `/${rest}`), { backend: 'files', ...cat });
    assert.equal(match('CDN.Example.COM', '/accounts/'), 'no object');
  });

  test('an address with a path is known by that path on any host, as a CDN asks for it', () => {
    const match = createAddressMatcher(otherHosts);
    assert.deepEqual(match('origin.internal', `/st/${rest}`), { backend: 'storage', ...cat });
    assert.equal(match('origin.internal', `/${rest}`), 'not ours');
  });

  test('one address below the other, and one at the root of the API’s host, still find their objects', () => {
    const below = createAddressMatcher({ base, files: `${base}/f`, storage: `${base}/f/storage` });
    assert.deepEqual(below('img.example.com', `/f/${rest}`), { backend: 'files', ...cat });
    assert.deepEqual(below('img.example.com', `/f/storage/${rest}`), { backend: 'storage', ...cat });
    assert.equal(below('img.example.com', '/f/storage/x'), 'no object');
    const atRoot = createAddressMatcher({ base, files: base, storage: `${base}/storage` });
    assert.deepEqual(atRoot('img.example.com', `/${rest}`), { backend: 'files', ...cat });
    assert.deepEqual(atRoot('img.example.com', `/storage/${rest}`), { backend: 'storage', ...cat });
    assert.equal(atRoot('img.example.com', '/upload/'), 'not ours');
  });

  test('escapes are undone once', () => {
    const match = createAddressMatcher(sameHost);
    assert.deepEqual(match('', `/files/${bucket}/c%61t/%77-200.webp`), { backend: 'files', ...cat });
    assert.deepEqual(match('', `/files/${bucket}/cat/%2577-200`), {
      backend: 'files',
      ...cat,
      rendition: '%77-200',
    });
  });

  test('what names no object below a file address is no object', () => {
    const match = createAddressMatcher(sameHost);
    const hostile = [
      '',
      '/',
      bucket,
      `${bucket}/`,
      `${bucket}/cat`,
      `${bucket}/cat/`,
      `${bucket}/cat/original/more`,
      `${bucket}//original`,
      `/${bucket}/cat/original`,
      `${bucket.toUpperCase()}/cat/original`,
      `${bucket.slice(1)}/cat/original`,
      `${bucket}0/cat/original`,
      `${bucket}/.cat/original`,
      `${bucket}/-cat/original`,
      `${bucket}/${'c'.repeat(129)}/original`,
      `${bucket}/cat/${'r'.repeat(2001)}`,
      '../../etc/passwd',
      `${bucket}/../original`,
      `${bucket}/cat/../../../etc/passwd`,
      `${bucket}/%2e%2e/original`,
      `${bucket}/%252e%252e/original`,
      `..%2f..%2f${bucket}/cat/original`,
      `${bucket}/cat%00/original`,
      `${bucket}/cat%0a/original`,
      `${bucket}/c at/original`,
      `${bucket}/cat/original%`,
      `${bucket}/cat/%E0%A4%A`,
      `${bucket}/cat/%ff`,
      `${bucket}/кот/original`,
      `${bucket}/cat\\..\\dog/original`,
      '__proto__/constructor/toString',
    ];
    for (const path of hostile) assert.equal(match('h', `/files/${path}`), 'no object', path);
  });

  test('any host and any path find an object with clean parts, or none; nothing is thrown', () => {
    const matchers = [createAddressMatcher(sameHost), createAddressMatcher(otherHosts)];
    const piece = fc.oneof(
      fc.constantFrom(
        '/',
        '..',
        '%2e',
        '%2f',
        '%',
        '%00',
        '\\',
        '?',
        '#',
        bucket,
        'cat',
        'original',
        'files',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    const path = fc
      .tuple(fc.constantFrom('/files/', '/storage/', '/st/', '/', ''), fc.array(piece))
      .map(([start, pieces]) => start + pieces.join(''));
    const host = fc.option(fc.oneof(fc.string(), fc.constantFrom('cdn.example.com', 'img.example.com')), {
      nil: undefined,
    });
    fc.assert(
      fc.property(fc.constantFrom(...matchers), host, path, (match, asked, at) => {
        const found = match(asked, at);
        if (typeof found === 'string') return assert.ok(found === 'no object' || found === 'not ours');
        assert.match(found.bucketId, /^[0-9a-f]{16}$/);
        assert.match(found.objectId, /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
        assert.ok(found.rendition.length > 0 && !found.rendition.includes('/'));
      }),
      { numRuns: 1000 },
    );
  });

  test('every valid address is found', () => {
    const match = createAddressMatcher(sameHost);
    const letters = Array.from('ABCxyz019');
    const id = fc
      .tuple(
        fc.constantFrom(...letters),
        fc.string({ unit: fc.constantFrom(...letters, '.', '_', '-'), maxLength: 127 }),
      )
      .map((parts) => parts.join(''));
    const rendition = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .filter((text) => !text.includes('/'));
    fc.assert(
      fc.property(id, rendition, (objectId, name) => {
        assert.deepEqual(match('h', `/files/${bucket}/${objectId}/${encodeURIComponent(name)}`), {
          backend: 'files',
          bucketId: bucket,
          objectId,
          rendition: name,
        });
      }),
    );
  });
});
