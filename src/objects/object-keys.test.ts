import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bucketManifestKey,
  filmKey,
  isImmutableKey,
  manifestKey,
  newGeneration,
  originalKey,
  parseObjectKey,
  posterName,
} from './object-keys.ts';
import { assertStorageKey } from '../platform/storage/storage-key.ts';

test('generations are 24 hex digits, ordered by time and different within one millisecond', () => {
  const now = Date.UTC(2026, 10, 15);
  const generations = Array.from({ length: 1000 }, (_, index) => newGeneration(now + index));
  for (const generation of generations) assert.match(generation, /^[0-9a-f]{24}$/);
  assert.deepEqual(generations.toSorted(), generations);
  assert.equal(new Set(Array.from({ length: 10_000 }, () => newGeneration(now))).size, 10_000);
  assert.equal(Number.parseInt(newGeneration(now).slice(0, 12), 16), now);
});

test('uploads of one window of 2^20 ms share a folder', () => {
  const windowStart = 1_700_000 * 2 ** 20;
  const folderAt = (now: number) => originalKey('b1', newGeneration(now)).split('/').slice(0, -1).join('/');
  assert.equal(folderAt(windowStart), folderAt(windowStart + 2 ** 20 - 1));
  assert.notEqual(folderAt(windowStart), folderAt(windowStart + 2 ** 20));
});

test('keys have the documented shape and pass the fence', () => {
  const generation = '0193a1b2c3d4e5f60718293a';
  assert.equal(originalKey('b1', generation), `b1/0193a/1b/${generation}`);
  assert.equal(manifestKey('b1', generation), `b1/0193a/1b/${generation}.json`);
  assert.equal(bucketManifestKey('b1'), 'b1/bucket.json');
  for (const key of [originalKey('b1', generation), manifestKey('b1', generation), bucketManifestKey('b1')]) {
    assertStorageKey(key);
  }
});

test('every key comes back as its parts', () => {
  const generation = newGeneration();
  const bucketId = 'bkt_7-x';
  assert.deepEqual(parseObjectKey(originalKey(bucketId, generation)), {
    kind: 'original',
    bucketId,
    generation,
  });
  assert.deepEqual(parseObjectKey(manifestKey(bucketId, generation)), {
    kind: 'manifest',
    bucketId,
    generation,
  });
  assert.deepEqual(parseObjectKey(bucketManifestKey(bucketId)), { kind: 'bucket-manifest', bucketId });
});

test('other keys are nobody’s', () => {
  const generation = '0193a1b2c3d4e5f60718293a';
  const foreign = [
    '',
    'b1',
    '/bucket.json',
    'b1/other.json',
    `b1/${generation}`,
    `b1/0193a/1c/${generation}`,
    `b1/x/0193a/1b/${generation}`,
    `b1/0193a/1b/${generation}.json.json`,
    `b1/0193a/1b/${generation.toUpperCase()}`,
    `B1/0193a/1b/${generation}`,
    `../0193a/1b/${generation}`,
  ];
  for (const key of foreign) assert.equal(parseObjectKey(key), null, key);
});

test('originals and files of films never change; manifests and indexes do', () => {
  const generation = newGeneration();
  const film = (name: string): string => filmKey('bucket', generation, name);
  for (const key of [originalKey('bucket', generation), film(posterName), film('r1/720/seg-1.m4s')])
    assert.equal(isImmutableKey(key), true, key);
  for (const key of [
    manifestKey('bucket', generation),
    bucketManifestKey('bucket'),
    film('r1/files.json'),
    'bucket/other',
  ])
    assert.equal(isImmutableKey(key), false, key);
});
