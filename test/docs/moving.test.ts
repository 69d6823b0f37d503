// docs/moving.md: every address of ours in its tables is one the service understands, and its redirects work in a real nginx.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readText } from '../../scripts/docs/pages.ts';
import { parseTransformation } from '../../src/images/address/transformation.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { missing } from '../support/proxies.ts';

const text = readText('docs/moving.md');
const presets = { card: 'w-400_h-300' };
/** Of films alone. */
const streamAddress = 'original.m3u8';

function rowsBelow(heading: string): string[][] {
  const part = text.split(`\n## ${heading}\n`)[1]?.split('\n## ', 1)[0] ?? '';
  return part
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

for (const service of ['Cloudinary', 'ImageKit', 'imgix', 'imgproxy'])
  describe(`the table of ${service}`, () => {
    const rows = rowsBelow(service);
    test('has its rows', () => assert.ok(rows.length > 20, String(rows.length)));
    for (const [theirs = '', ours = ''] of rows)
      test(`${theirs} → ${ours}`, () => {
        if (ours === '–') return;
        const addresses = [...ours.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string);
        assert.ok(addresses.length > 0);
        for (const address of addresses) {
          if (address.startsWith('?')) assert.match(address, /^\?(?:dl=name\.jpg|exp=…&sig=…)$/);
          else if (address !== streamAddress)
            parseTransformation(address.startsWith('.') ? `original${address}` : address, presets);
        }
      });
  });

test('the redirects lead where they say', { skip: missing('nginx') }, async () => {
  const [, config = ''] = /```nginx\n([\s\S]+?)```/.exec(text) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'tintype-moving-'));
  const port = await freePort();
  writeFileSync(
    join(folder, 'moved.map'),
    '"japan/boats" japan-boats;\n"logo" logo;\n"my_folder/boats" my-boats;\n',
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/nginx.pid; error_log stderr crit; events {} http { access_log off; ${temporary.join(' ')}
     ${config.replace('listen 80;', `listen 127.0.0.1:${port};`).replace('include moved.map', `include ${folder}/moved.map`)} }`,
  );
  const env = { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` };
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
  const checked = spawnSync('nginx', [...args, '-t'], { env, encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stderr);
  const nginx = spawn('nginx', args, { env, stdio: 'ignore' });
  const ended = once(nginx, 'exit');
  try {
    const ask = async (path: string): Promise<[number, string | null]> => {
      const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
      return [status, headers.get('location')];
    };
    await eventually(() => ask('/'), 10_000);
    const there = 'https://img.example.com/files/3f0c9a51d2e87b64';
    for (const [path, answer] of [
      [
        '/image/upload/c_fill,h_300,w_400/v1685472103/japan/boats.jpg',
        [301, `${there}/japan-boats/w-400_h-300.auto`],
      ],
      ['/image/upload/t_card/logo.png', [301, `${there}/logo/preset-card.auto`]],
      ['/image/upload/c_limit,w_1200/logo', [301, `${there}/logo/w-1200_fit-max.auto`]],
      ['/image/upload/e_cartoonify/logo.png', [302, `${there}/logo/original.auto`]],
      ['/image/upload/v12/japan/boats.jpg', [301, `${there}/japan-boats/original.auto`]],
      ['/image/upload/japan/boats.jpg', [301, `${there}/japan-boats/original.auto`]],
      ['/image/upload/my_folder/boats.jpg', [301, `${there}/my-boats/original.auto`]],
      ['/image/upload/nothing.jpg', [404, null]],
    ] as const)
      assert.deepEqual(await ask(path), answer, path);
  } finally {
    nginx.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});
