import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { insideHosts } from '../../../test/support/inside-hosts.ts';
import { AppError } from '../errors.ts';
import { assertPublicAddress, isPublicIp } from './public-address.ts';

const notWeb = [
  '',
  ' ',
  '/hook',
  '//example.com/hook',
  'example.com/hook',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  'data:text/plain,x',
  'ws://example.com/',
  'unix:/run/docker.sock',
  'http+unix://%2frun%2fdocker.sock/',
  'blob:http://example.com/x',
  'http://',
  'http://:80/',
  'https://?',
  'http://example.com:99999/',
  'http://exa mple.com/',
  'http://exam\tple.com/',
  'http://example.com/\r\nHost: x',
  ' http://example.com/',
  'http://example.com/\u0000',
  'http://[::1',
  'http://[fe80::1%25eth0]/',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
  'http://0x100000000/',
  'http://%00/',
  'http://user@example.com/',
  'http://user:word@example.com/',
  'http://:word@example.com/',
  'http://example.com:80@93.184.215.14/',
  'http://example.com\\@127.0.0.1/'.replace('\\', '%5C'),
  `https://example.com/${'x'.repeat(2048)}`,
];

const publicAddresses = [
  'https://example.com',
  'http://example.com/hook?x=1#y',
  'https://hooks.example.com:8443/a/b',
  'https://example.com./hook',
  'https://bücher.example/haken',
  'https://93.184.215.14/hook',
  'http://1.1.1.1:8080',
  'http://8.8.8.8/',
  'http://0x08080808/',
  'https://[2606:4700:4700::1111]/',
  'https://[2a00:1450:4001:82a::200e]:444/hook',
  'https://localhost.example.com/',
  'https://internal.example.com/',
  'https://local.example/',
  'https://10.example.com/',
];

function refusal(url: string, allowPrivate = false): AppError | null {
  try {
    assertPublicAddress(url, { allowPrivate });
    return null;
  } catch (error) {
    assert.ok(error instanceof AppError, `${url}: ${String(error)}`);
    assert.equal(error.code, 'bad_request');
    assert.match(error.message, /^The address must .+[a-z/]$/);
    return error;
  }
}

describe('addresses an account gives', () => {
  test(`${insideHosts.length} disguised addresses that lead inside are refused`, () => {
    assert.ok(insideHosts.length >= 150);
    assert.equal(new Set(insideHosts).size, insideHosts.length);
    const accepted = insideHosts
      .flatMap((host) => [
        `http://${host}/`,
        `https://${host}:8443/hook?x=1`,
        `HTTP:${host}`,
        `http:\\\\${host}\\hook`,
      ])
      .filter((url) => !refusal(url));
    assert.deepEqual(accepted, []);
  });

  test('what is not a plain web address is refused, also in development', () => {
    for (const url of notWeb) {
      assert.ok(refusal(url), url);
      assert.ok(refusal(url, true), url);
    }
  });

  test('public ones are accepted', () => {
    for (const url of publicAddresses) assert.equal(refusal(url), null, url);
  });

  test('development may allow private ones', () => {
    for (const url of ['http://127.0.0.1:9999/hook', 'http://localhost/', 'http://[::1]/', 'http://redis/'])
      assert.equal(refusal(url, true), null, url);
  });
});

describe('addresses names resolve to', () => {
  test('only plain public ones are public', () => {
    for (const ip of [
      '1.1.1.1',
      '8.8.8.8',
      '172.15.255.255',
      '172.32.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '223.255.255.255',
    ])
      assert.ok(isPublicIp(ip), ip);
    for (const ip of ['2606:4700:4700::1111', '2a00:1450:4001:82a::200e']) assert.ok(isPublicIp(ip), ip);
  });

  test('all others are not, nor is what is no address', () => {
    const inside = [
      '127.0.0.1',
      '10.1.2.3',
      '::1',
      '::',
      '::ffff:10.0.0.1',
      '::ffff:8.8.8.8',
      'fe80::1%eth0',
      'fd00::1',
    ];
    const none = [
      '',
      'example.com',
      '127.1',
      '0x7f000001',
      '2130706433',
      '[::1]',
      '1.1.1.1 ',
      '1.1.1',
      'localhost',
    ];
    for (const ip of [...inside, ...none]) assert.equal(isPublicIp(ip), false, ip);
  });
});
