// What operators are given, as far as a machine without a container engine can tell: that it is well formed, that its parts fit
// together, and that nginx accepts its configuration.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config.ts';
import { missing } from '../support/proxies.ts';
import { complaintsAbout, configurationFor } from './balancer.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

type ComposeService = {
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  depends_on?: Record<string, object>;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
};
type Compose = {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, null>;
};
const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
const nodes = ['node-1', 'node-2', 'worker'];

test('every service of compose.yaml is confined, and names only what is there', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    for (const other of Object.keys(service.depends_on ?? {})) assert.ok(compose.services[other], other);
    for (const secret of service.secrets ?? []) assert.ok(compose.secrets[secret], secret);
    for (const [source = ''] of (service.volumes ?? []).map((volume) => volume.split(':')))
      assert.ok(source.startsWith('./') ? existsSync(join(root, source)) : source in compose.volumes, source);
  }
  const folders = nodes.map((name) => compose.services[name]?.volumes?.[0]);
  assert.equal(new Set(folders).size, nodes.length, 'every node needs a data folder of its own');
});

test('its settings are settings, with the secrets that make-secrets.sh writes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tintype-secrets-'));
  try {
    cpSync(join(root, 'deploy/make-secrets.sh'), join(folder, 'make-secrets.sh'));
    const make = (): void =>
      assert.equal(spawnSync('sh', [join(folder, 'make-secrets.sh')], { stdio: 'pipe' }).status, 0);
    const secretFile = (name: string): string => readFileSync(join(folder, 'secrets', name), 'utf8');
    make();
    const names = Object.keys(compose.secrets);
    const first = names.map(secretFile);
    make();
    assert.deepEqual(names.map(secretFile), first, 'what is there stays');
    JSON.parse(secretFile('s3_identities'));
    for (const name of nodes) {
      const environment = Object.fromEntries(
        Object.entries(compose.services[name]?.environment ?? {})
          // Whose stores they are is another test's concern.
          .filter(([setting]) => !setting.endsWith('_STORE'))
          .map(([setting, value]) => [
            setting,
            value.replace('/run/secrets', join(folder, 'secrets')).replace(/^\$\{BASE_URL:-(.*)\}$/, '$1'),
          ]),
      );
      const config = loadConfig(environment);
      assert.equal(new URL(config.DATABASE_URL ?? '').hostname, 'postgres');
      assert.ok(config.TRUST_PROXY);
      const graceSeconds = Number.parseInt(compose.services[name]?.stop_grace_period ?? '0', 10);
      assert.ok(graceSeconds > config.DRAIN_SECONDS + 18 + 4, 'it would be killed while it stops');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('nginx keeps no idle connection for as long as a node drains', () => {
  const config = read('deploy/nginx.conf');
  const upstream = /upstream tintype \{[^}]*\}/.exec(config)?.[0] ?? '';
  const keptSeconds = Number(/keepalive_timeout (\d+)s/.exec(upstream)?.[1]);
  assert.ok(keptSeconds < Number(compose.services['node-1']?.environment?.['DRAIN_SECONDS']));
  for (const name of ['node-1', 'node-2']) assert.match(upstream, new RegExp(`server ${name}:3000 `));
});

test('nginx accepts its configuration', { skip: missing('nginx') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tintype-nginx-'));
  try {
    assert.equal(complaintsAbout(configurationFor([3001, 3002], 8080, folder), folder), null);
    assert.notEqual(complaintsAbout('nonsense;', folder), null);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the image is made of files that are there, and lets them in', () => {
  const ignored = read('.dockerignore');
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  assert.ok(copied.includes('src') && copied.includes('package-lock.json'));
  for (const name of copied) {
    assert.ok(existsSync(join(root, name)), name);
    assert.match(ignored, new RegExp(`^!${RegExp.escape(name)}$`, 'm'), `${name} is kept out of the image`);
  }
});
