import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Older versions have known holes; no audit service is asked at install time, so this table is. */
const floors: Record<string, string> = {
  sharp: '0.35.5',
  fastify: '5.12.8',
  '@fastify/multipart': '10.1.7',
  '@fastify/busboy': '3.2.5',
  undici: '7.30.2',
  'node-av': '6.1.1',
};

test('no installed package is older than the version that mended its known holes', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const old = Object.entries(lock.packages).flatMap(([path, { version = '' }]) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    const floor = floors[name];
    return floor && isOlder(version, floor) ? [`${name} ${version} is older than ${floor}`] : [];
  });
  assert.deepEqual(old, []);
});

function isOlder(version: string, floor: string): boolean {
  const [left, right] = [version, floor].map((text) => text.split(/[.-]/).map(Number)) as [
    number[],
    number[],
  ];
  const place = right.findIndex((part, index) => part !== left[index]);
  return place !== -1 && (left[place] ?? 0) < (right[place] ?? 0);
}
