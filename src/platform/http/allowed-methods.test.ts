import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AllowedMethods } from './allowed-methods.ts';

describe('allowed methods', () => {
  const allowed = new AllowedMethods();
  allowed.add('GET', '/get/');
  allowed.add('HEAD', '/get/');
  allowed.add('GET', '/get/:object_id');
  allowed.add(['PATCH', 'GET'], '/user/');
  allowed.add('DELETE', '/keys/:key_id');
  allowed.add('POST', '/keys/:key_id/rotate');
  allowed.add('GET', '/openapi.json');
  allowed.add('GET', '/docs/*');
  allowed.add('GET', '/pages/:page(^[a-z0-9-]+$)');
  allowed.add('GET', '/');

  test('are those of every route at the address, once and in order', () => {
    for (const [path, methods] of [
      ['/get/', ['GET', 'HEAD']],
      ['/get', ['GET', 'HEAD']],
      ['/get/cat', ['GET']],
      ['/get/cat/', ['GET']],
      ['/user', ['GET', 'PATCH']],
      ['/keys/key_1', ['DELETE']],
      ['/keys/key_1/rotate', ['POST']],
      ['/openapi.json', ['GET']],
      ['/docs/a/b.js', ['GET']],
      ['/pages/a-1', ['GET']],
      ['/', ['GET']],
    ] as const)
      assert.deepEqual(allowed.of(path), methods, path);
  });

  test('are none at an address no route knows', () => {
    for (const path of [
      '/nothing',
      '/getter',
      '/GET/',
      '/get//cat',
      '/get/cat/dog',
      '/keys/',
      '/keys/a/rotate/b',
      '/openapi_json',
      '/openapi.json.js',
      '/docs/',
      '/pages/A',
      '/pages/a.b',
      '/pages/a/b',
      '//',
    ])
      assert.deepEqual(allowed.of(path), [], path);
  });

  test('an address that does not match is told so quickly, however it is made', () => {
    const before = process.cpuUsage();
    assert.deepEqual(allowed.of(`/keys/${'a/'.repeat(50_000)}`), []);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 200_000);
  });
});
