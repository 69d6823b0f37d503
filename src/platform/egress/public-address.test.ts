import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../errors.ts';
import { assertPublicAddress, isPublicIp } from './public-address.ts';

/** Hosts that lead inside, in every spelling known; each is tried with both protocols, with and without a port. */
const insideHosts = `
127.0.0.1 127.0.0.2 127.1 127.0.1 127.255.255.254 127.0.0.1. 2130706433 2130706433. 017700000001 0x7f000001 0x7F000001
0x7f.1 0x7f.0x0.0x0.0x1 0177.1 0177.0.0.1 0177.0000.0000.0001 0000177.0.0.1 0x7f.0.0.0x1 127.0x0.0.1 127.000.000.001
00000000177.0.0.1 0x0000007f.0.0.1 127.0.0.0x1 127.65535 127.16777215 %31%32%37.0.0.1 127%2e0%2e0%2e1 127。0。0。1
127．0．0．1 127｡0｡0｡1 １２７.０.０.１ ①②⑦.⓪.⓪.① ①27.0.0.1 127.0.0.¹ 𝟏𝟐𝟕.𝟎.𝟎.𝟏 12­7.0.0.1 0x7f。1
0.0.0.0 0 00 0x0 0. 0.0 0.1.2.3 0.255.255.255
10.0.0.1 10.1 10.255.255.255 167772161 0xa000001 012.0.0.1 0x0a.0.0.1 10.0.513 1⓪.0.0.1
172.16.0.1 172.31.255.255 172.1048577 2886729729 0xac100001 0254.020.0.1 172.16.1
192.168.0.1 192.168.1 192.168.255.255 3232235521 0xc0a80001 0300.0250.0.1 192.0xa8.1 192.11010049
169.254.169.254 169.254.0.1 169.254.43518 2852039166 0xa9fea9fe 0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe 169.16689662
100.64.0.1 100.127.255.255 1681915905 0x64400001 100.100.100.200
192.0.0.1 192.0.0.192 192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 198.19.255.255 192.88.99.1
224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 254.1.2.3 4294967295 0xffffffff 037777777777
[::] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [0::1] [::0.0.0.1] [::2]
[::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1] [0:0:0:0:0:ffff:7f00:1]
[::ffff:10.0.0.1] [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::ffff:192.168.1.1] [::ffff:0.0.0.0] [::ffff:8.8.8.8]
[::127.0.0.1] [::7f00:1] [::10.0.0.1] [::a00:1] [::169.254.169.254] [::192.168.0.1]
[::ffff:0:127.0.0.1] [::ffff:0:7f00:1] [::ffff:0:a9fe:a9fe]
[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1] [64:ff9b:1:ffff::1]
[2002:7f00:1::] [2002:7f00:0001::1] [2002:a00:1::1] [2002:c0a8:1::] [2002:a9fe:a9fe::1] [2002:808:808::1]
[2001::1] [2001:0:7f00:1::] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:0000:0a00:0001::80ff:fffe]
[fe80::1] [fe80::a9fe:a9fe] [febf::1] [fec0::1] [feff::1] [fc00::1] [fd00::1] [fd00:ec2::254] [fdff:ffff::1]
[ff00::1] [ff02::1] [ff0e::1] [100::1] [100:0:0:1::1] [2001:db8::1] [2001:2::1] [2001:3::1] [2001:10::1] [2001:20::1]
[2001:30::1] [2001:4:112::1] [2001:1ff::1] [2620:4f:8000::1] [3fff::1] [3fff:fff::1] [5f00::1]
[400::1] [1000::1] [4000::1] [8000::1] [a000::1] [c000::1] [e000::1] [f000::1]
localhost LOCALHOST LocalHost localhost. localhost.. ｌｏｃａｌｈｏｓｔ loc%61lhost ⓛocalhost app.localhost a.b.localhost. foo.LOCALHOST.
localhost.localdomain host.localdomain printer.local PRINTER.LOCAL. metadata.google.internal host.docker.internal
kubernetes.default.svc.cluster.local vault.internal. router.lan nas.home intranet.corp db.intranet git.private
router.home.arpa redis postgres db intranet com a a. ai. xn--a-ecp wpad metadata instance-data a..com 1e1 0x
`
  .trim()
  .split(/\s+/);

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
