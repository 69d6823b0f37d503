// The package as it would be published, in every runtime it says it runs in: the same calls to a real service, and the same
// outcome. `.ci/run` installs the runtimes; here those on the PATH are used.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { newAccount } from '../support/accounts.ts';
import type { EverydaySettings } from '../support/everyday-calls.ts';
import { type FileSource, fileSource } from '../support/file-source.ts';
import { freePort } from '../support/free-port.ts';
import { runtimes } from '../support/javascript-runtimes.ts';
import { compiler, type ProjectWithClient, projectWithClient } from '../support/packed-client.ts';
import { picture } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/server.ts';

let project: ProjectWithClient;
let server: TestServer;
let broken: FileSource;

before(async () => {
  [project, server, broken] = await Promise.all([
    projectWithClient(),
    startServer(),
    fileSource({ '/health/live': breakOff }),
  ]);
  const calls = await readFile(new URL('../support/everyday-calls.ts', import.meta.url), 'utf8');
  await writeFile(join(project.folder, 'everyday-calls.js'), stripTypeScriptTypes(calls));
});
after(async () => {
  await Promise.all([project, server, broken].map((each) => each[Symbol.asyncDispose]()));
});

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Length': '100' });
  response.write('{"checks":', () => response.destroy());
}

async function writeTask(): Promise<void> {
  const settings: EverydaySettings = {
    url: server.url,
    key: (await newAccount(server)).api_key,
    brokenUrl: broken.url,
    deadUrl: `http://127.0.0.1:${await freePort()}`,
    pictureBase64: (await picture(90, 70, 'png')).toString('base64'),
  };
  const task = `
    import * as client from '@tintype/client';
    import { extract } from '@tintype/client/unpic';
    import loaderOfNext from './node_modules/@tintype/client/dist/next.js';
    import { everydayCalls } from './everyday-calls.js';

    export default async () => ({
      ...(await everydayCalls(client, ${JSON.stringify(settings)})),
      loaderOfNext: loaderOfNext({ src: 'https://a.example/files/b/c/', width: 640 }),
      unpic: extract('https://a.example/files/b/c/w-10.webp'),
    });
  `;
  await writeFile(join(project.folder, 'task.js'), task);
}

const expected = {
  stored: { id: 'boats', name: 'höhe.png', tags: ['harbour'], width: 90 },
  told: { name: 'told.png', lastSent: true },
  streamed: { name: 'streamed.png', width: 90 },
  calledOff: 'Error: changed my mind',
  brokenOff: 'Error: paused',
  resumed: { name: 'resumed.png', pieces: 2, last: 1 },
  got: 'told.png',
  listed: { total: 1, ids: ['boats'] },
  all: ['resumed.png', 'streamed.png', 'told.png', 'höhe.png'],
  transformation: 'w-30.webp',
  seen: ['403 application/json; charset=utf-8', '200 image/webp'],
  refusals: [
    '404 object_not_found',
    '404 object_not_found',
    '403 analysis_off',
    '401 invalid_api_key',
    '400 file_empty',
  ],
  unreachable: 'ConnectionError',
  cutShort: 'ConnectionError',
  loaderOfNext: 'https://a.example/files/b/c/fit-max_q-auto_w-640.auto',
  unpic: { src: 'https://a.example/files/b/c/', operations: { width: 10, format: 'webp' } },
};

describe('the same calls', () => {
  for (const { name, program, resultOfTask } of runtimes) {
    const skip = program === null && `NO ${name.toUpperCase()} IS INSTALLED: the client was not tried in it`;
    test(`in ${name}`, { skip }, async () => {
      await writeTask();
      assert.deepEqual(await resultOfTask(program ?? '', project.folder), expected);
    });
  }
});

test('the package holds what is built, its page and its licence, and no sources', () => {
  const besides = project.files.filter((path) => !/^dist\/[\w-]+(\.d\.ts|\.js)$/.test(path));
  assert.deepEqual(besides.sort(), ['LICENSE', 'README.md', 'package.json']);
  for (const entry of ['index', 'next', 'unpic']) assert.ok(project.files.includes(`dist/${entry}.d.ts`));
});

test('its types are found by whoever imports it', async () => {
  const typed = `
    import { type StoredObject, Tintype } from '@tintype/client';
    import loaderOfNext from '@tintype/client/next';
    import { extract } from '@tintype/client/unpic';

    const tintype = new Tintype({ url: 'http://localhost:3000' });
    export const stored: StoredObject = await tintype.upload(new Uint8Array());
    export const address: string = loaderOfNext({ src: stored.object_url, width: 10 });
    export const operations = extract(address)?.operations;
    // @ts-expect-error: there is no such option
    await tintype.list({ page_sise: 1 });
  `;
  await writeFile(join(project.folder, 'typed.ts'), typed);
  for (const resolution of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ])
    await promisify(execFile)(
      compiler,
      ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', ...resolution, 'typed.ts'],
      { cwd: project.folder },
    );
});
