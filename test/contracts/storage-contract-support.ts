// What the parts of the storage contract share: reading back, test data, and watching memory and descriptors.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Storage } from '../../src/platform/storage/storage.ts';

/** Registers a test that gets a new, empty backend. */
export type Check = (title: string, body: (storage: Storage) => Promise<void>) => void;

export async function keysOf(storage: Storage, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix)) keys.push(key);
  return keys;
}

export async function read(
  storage: Storage,
  key: string,
  range?: { start: number; end: number },
): Promise<Buffer> {
  const stream = await storage.get(key, range);
  assert.ok(stream, `${key} is absent`);
  return buffer(stream);
}

/** Bytes in which every position differs from its neighbours at any power of two. */
export function patterned(size: number): Buffer {
  const data = Buffer.alloc(size);
  for (let index = 0; index < size; index += 1) data[index] = (index * 31 + (index >> 8) * 7) & 255;
  return data;
}

export function chunksOf(data: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(data.length / size) }, (_, index) =>
    data.subarray(index * size, (index + 1) * size),
  );
}

export function watchBufferMemory(): { look(): void; growthBytes(): number } {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const bufferBytes = (): number => {
    // Freed buffers are counted off in the background; the second waits for what the first has begun.
    collect();
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = bufferBytes();
  let peak = before;
  return {
    look: () => {
      peak = Math.max(peak, bufferBytes());
    },
    growthBytes: () => peak - before,
  };
}

export async function assertDescriptorsReturn(action: () => Promise<void>): Promise<void> {
  const before = openDescriptors();
  await action();
  for (let attempt = 0; attempt < 50 && openDescriptors() > before; attempt += 1) await sleep(20);
  assert.ok(openDescriptors() <= before, `${openDescriptors() - before} descriptors more than before`);
}

/** Of files: connections that are kept for the next call are bounded and have their own tests. */
function openDescriptors(): number {
  if (!existsSync('/proc/self/fd')) return 0;
  return readdirSync('/proc/self/fd').filter((name) => !isSocket(`/proc/self/fd/${name}`)).length;
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    return false;
  }
}
