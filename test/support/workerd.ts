// Cloudflare's runtime of workers. Modules are bundled for it, as its own tools do, and it is asked over HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

export async function resultInWorkerd(program: string, folder: string): Promise<unknown> {
  const port = await freePort();
  await writeFile(
    join(folder, 'worker.js'),
    `import task from './task.js';\nexport default { fetch: async () => Response.json(await task()) };\n`,
  );
  await writeFile(join(folder, 'workerd.capnp'), configuration(port));
  await bundle(folder);
  const worker = spawn(program, ['serve', 'workerd.capnp'], { cwd: folder, stdio: 'inherit' });
  try {
    const response = await eventually(() => fetch(`http://127.0.0.1:${port}/`));
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  } finally {
    worker.kill();
    await once(worker, 'exit');
  }
}

function bundle(folder: string): Promise<unknown> {
  return build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: 'bundled',
      target: 'es2022',
      lib: { entry: 'worker.js', formats: ['es'], fileName: () => 'worker.js' },
    },
  });
}

const configuration = (port: number): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker", esModule = embed "bundled/worker.js")],
      compatibilityDate = "2026-11-01",
      globalOutbound = "this-machine"
    )),
    (name = "this-machine", network = (allow = ["local"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "worker")]
);
`;
