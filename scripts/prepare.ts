// Runs once after an install: builds the pages for browsers, and loads everything the service loads, so that its compiled
// form is kept for every start. Whatever goes wrong here is mended or said by the next start.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// In a process of its own: what is loaded before the cache is on is not kept in it.
spawnSync(process.execPath, [fileURLToPath(new URL('build-pages.ts', import.meta.url))], {
  stdio: 'inherit',
});
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/tintype', import.meta.url)));
process.env['NODE_COMPILE_CACHE'] = module.getCompileCacheDir();
const dataDir = await mkdtemp(join(tmpdir(), 'tintype-prepare-'));
try {
  const { createApp } = await import('../src/app.ts');
  const { loadConfig } = await import('../src/config.ts');
  const { createLog } = await import('../src/platform/log.ts');
  await import('../src/main.ts');
  await import('../src/cli/serve.ts');
  await import('../src/primary.ts');
  await import('../src/http-process.ts');
  const app = await createApp(loadConfig({ DATA_DIR: dataDir }), { log: createLog('silent') });
  await app.http.ready();
  await app.stop();
} catch (error) {
  console.error('The compile cache could not be made; the first start will be slower.', error);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
