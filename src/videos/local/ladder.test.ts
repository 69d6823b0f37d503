import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ladderOf } from './ladder.ts';

function sizes(width: number, height: number, frameRate = 30): string[] {
  return ladderOf({ width, height, frameRate }).map((rung) => `${rung.name} ${rung.width}x${rung.height}`);
}

test('rungs count the shorter side and never exceed the film', () => {
  assert.deepEqual(sizes(3840, 2160), ['1080p 1920x1080', '720p 1280x720', '480p 854x480']);
  assert.deepEqual(sizes(1920, 1080), ['1080p 1920x1080', '720p 1280x720', '480p 854x480']);
  assert.deepEqual(sizes(720, 1280), ['720p 720x1280', '480p 480x854']);
  assert.deepEqual(sizes(360, 640), ['360p 360x640']);
  assert.deepEqual(sizes(480, 480), ['480p 480x480']);
});

test('a size between two rungs is kept unless a rung is close below', () => {
  assert.deepEqual(sizes(1280, 960), ['960p 1280x960', '720p 960x720', '480p 640x480']);
  assert.deepEqual(sizes(1350, 760), ['720p 1278x720', '480p 852x480']);
  assert.deepEqual(sizes(1244, 700), ['700p 1244x700', '480p 854x480']);
  assert.deepEqual(sizes(888, 500), ['480p 852x480']);
  assert.deepEqual(sizes(1934, 1088), ['1080p 1920x1080', '720p 1280x720', '480p 854x480']);
});

test('sizes are even and fit decoders', () => {
  assert.deepEqual(sizes(321, 181), ['181p 322x182']);
  assert.deepEqual(sizes(1, 1), ['1p 2x2']);
  assert.deepEqual(sizes(8192, 1080).at(0), '1080p 4096x540');
});

test('larger and faster rungs may use more bits', () => {
  const [large, middle, small] = ladderOf({ width: 1920, height: 1080, frameRate: 30 });
  assert.equal(large!.maxBitRate, 6_000_000);
  assert.ok(large!.maxBitRate > middle!.maxBitRate && middle!.maxBitRate > small!.maxBitRate);
  assert.ok(small!.maxBitRate > 1_200_000);
  assert.equal(ladderOf({ width: 1920, height: 1080, frameRate: 60 })[0]!.maxBitRate, 9_000_000);
});
