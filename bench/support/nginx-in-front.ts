// The nginx of docs/cdn as one process, so that what it uses can be told; a second server of it sends files straight.
import { startNginx } from '../../test/support/proxies.ts';
import { freePort } from './service.ts';

export type BenchNginx = { port: number; straightPort: number; pid: number } & AsyncDisposable;

export async function startBenchNginx(options: {
  dataDir: string;
  upstreamPort: number;
}): Promise<BenchNginx> {
  const straightPort = await freePort();
  const straight = `server { listen 127.0.0.1:${straightPort}; location / { root ${options.dataDir}; default_type image/jpeg; } }`;
  const nginx = await startNginx(options, straight);
  return {
    port: Number(new URL(nginx.url).port),
    straightPort,
    pid: nginx.pid,
    [Symbol.asyncDispose]: () => nginx[Symbol.asyncDispose](),
  };
}
