// What /openapi.json answers, from a service that was never started.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/platform/log.ts';
import type { OpenApiDocument } from './client-types.ts';

export async function openApiDocument(): Promise<OpenApiDocument> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tintype-openapi-'));
  try {
    const app = await createApp(loadConfig({ DATA_DIR: dataDir }), { log: createLog('silent') });
    await app.http.ready();
    const document = app.http.swagger() as unknown as OpenApiDocument;
    await app.stop();
    return document;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
