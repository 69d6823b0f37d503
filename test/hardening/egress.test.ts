// Nothing calls out but the guarded client: no other file of the program may hold a means to open a connection.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

/** Modules that can open connections, with the names in them that cannot. */
const connecting: Record<string, ReadonlySet<string>> = {
  http: new Set(['createServer', 'Server', 'STATUS_CODES', 'METHODS']),
  https: new Set(['createServer', 'Server']),
  http2: new Set(['createServer', 'createSecureServer', 'constants']),
  net: new Set(['createServer', 'Server', 'isIP', 'isIPv4', 'isIPv6', 'BlockList']),
  tls: new Set(['createServer', 'Server']),
  dgram: new Set(),
  dns: new Set(),
  'dns/promises': new Set(),
  undici: new Set(),
  ws: new Set(),
  axios: new Set(),
  got: new Set(),
  'node-fetch': new Set(),
  nodemailer: new Set(),
  '@aws-sdk/client-s3': new Set(),
};
const globals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'WebSocketStream'];

/** What in a text could open a connection, each as a short complaint. */
function meansToConnect(source: string): string[] {
  const code = withoutComments(source);
  return [...importsOf(code), ...globalsIn(withoutTexts(code))];
}

function importsOf(code: string): string[] {
  const found: string[] = [];
  const statement = /\b(import|export)\s+(type\s+)?([\w*{][^'"`;]*?)\s*from\s*['"]([^'"]+)['"]/g;
  for (const [, , typeOnly, clause = '', module = ''] of code.matchAll(statement)) {
    const harmless = connecting[nameOf(module)];
    if (!harmless || typeOnly) continue;
    const [, named] = /^\{([\s\S]*)\}$/.exec(clause.trim()) ?? [];
    if (named === undefined) {
      found.push(`imports all of ${module}`);
      continue;
    }
    for (const part of named.split(',').map((each) => each.trim())) {
      const name = part.split(/\s+as\s+/)[0] ?? '';
      if (part !== '' && !part.startsWith('type ') && !harmless.has(name))
        found.push(`imports ${name} of ${module}`);
    }
  }
  const whole = /\b(?:import|require|getBuiltinModule|createRequire\([^)]*\))\s*\(?\s*['"`]([^'"`]+)['"`]/g;
  for (const [, module = ''] of code.matchAll(whole))
    if (connecting[nameOf(module)]) found.push(`loads ${module}`);
  return found;
}

function globalsIn(code: string): string[] {
  return globals.filter((name) => {
    const used = new RegExp(
      // Called, made, or handed on; neither a field of something else nor a type nor a name of our own.
      `(?<![\\w$.'"#-])${name}\\s*\\(|\\bnew\\s+${name}\\b|globalThis\\s*(?:\\.\\s*${name}\\b|\\[)|[=,(:?]\\s*${name}\\s*[,;)}\\n]`,
    );
    return used.test(code);
  });
}

const nameOf = (module: string): string => module.replace(/^node:/, '');
const withoutComments = (code: string): string =>
  code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`\\])\/\/.*$/gm, '$1');
const withoutTexts = (code: string): string =>
  code.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''").replace(/\btypeof\s+fetch\b/g, 'unknown');

const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
const within = (file: string): string[] => meansToConnect(readFileSync(file, 'utf8'));

describe('calls that leave this machine', () => {
  test('go through src/platform/egress and nowhere else', () => {
    assert.ok(sources.length > 200);
    const elsewhere = sources
      .filter((file) => !file.startsWith('src/platform/egress/'))
      .flatMap((file) => within(file).map((complaint) => `${file} ${complaint}`));
    assert.deepEqual(elsewhere, []);
  });

  test('are made by four files, each with its own means', () => {
    const means = Object.fromEntries(
      sources
        .filter((file) => file.startsWith('src/platform/egress/'))
        .map((file) => [file.slice('src/platform/egress/'.length), within(file)] as const)
        .filter(([, found]) => found.length > 0),
    );
    assert.deepEqual(means, {
      'call-out.ts': ['imports request of node:http', 'imports request of node:https'],
      'guarded-lookup.ts': ['imports lookup of node:dns/promises'],
      's3-client.ts': ['loads @aws-sdk/client-s3'],
      'send-mail.ts': ['loads nodemailer'],
    });
  });

  test('would be found in every spelling', () => {
    const bad = [
      `import { request } from 'node:http';`,
      `import { get as load } from "https";`,
      `import {\n  type Server,\n  connect,\n} from 'node:net';`,
      `import http from 'node:http';`,
      `import * as net from 'net';`,
      `import net, { isIP } from 'node:net';`,
      `export { request } from 'node:http';`,
      `export * from 'node:http';`,
      `import { createSocket } from 'node:dgram';`,
      `import { connect } from 'node:tls';`,
      `import { Agent } from 'undici';`,
      `import 'undici';`,
      `import { createTransport } from 'nodemailer';`,
      `const { request } = await import('node:http');`,
      'const http = await import(`node:http`);',
      `const http = require('http');`,
      `const http = process.getBuiltinModule('node:http');`,
      `await fetch(url);`,
      `void fetch (url);`,
      `const send = fetch;`,
      `use({ send: fetch });`,
      `call(fetch, url);`,
      `globalThis.fetch(url);`,
      `globalThis['fetch'](url);`,
      `new WebSocket(url);`,
      `new EventSource(url);`,
    ];
    for (const line of bad) assert.equal(meansToConnect(line).length > 0, true, line);
  });

  test('are told from what only looks like them', () => {
    const good = [
      `import type { IncomingMessage } from 'node:http';`,
      `import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http';`,
      `import { isIP } from 'node:net';`,
      `import { request } from './http.ts';`,
      `// await fetch(url)`,
      `/** import { request } from 'node:http'; */`,
      `throw new Error('fetch(x) new WebSocket(y)');`,
      `export function guarded(): typeof fetch {`,
      `this.fetch(url); cache.fetch(url); prefetch(url); const fetched = 1;`,
    ];
    for (const line of good) assert.deepEqual(meansToConnect(line), [], line);
  });
});
