// Sniffing and walking together must refuse every hostile file, each for its own reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sniffType } from './sniff-type.ts';
import { ImageFault, walkWholeImage, type ImageType } from './walk-image.ts';
import { hostileFiles } from '../../test/support/hostile-images.ts';

/** The status an upload would get, as far as sniffing and walking decide it. */
function statusOf(bytes: Buffer): number {
  if (bytes.length === 0) return 400;
  const { kind, type } = sniffType(bytes);
  if (kind !== 'image') return 415;
  try {
    walkWholeImage(type as ImageType, bytes);
    return 200;
  } catch (error) {
    if (error instanceof ImageFault) return 422;
    throw error;
  }
}

test('hostile files are refused for the right reason, and quickly', () => {
  const files = hostileFiles();
  assert.ok(files.length >= 60);
  assert.equal(new Set(files.map(({ name }) => name)).size, files.length);
  for (const { name, bytes, expectStatus } of files) {
    const start = process.cpuUsage();
    assert.equal(statusOf(bytes), expectStatus, name);
    // Of the processor: what others take of it says nothing about the file.
    const { user, system } = process.cpuUsage(start);
    assert.ok(user + system < 250_000, name);
  }
});
