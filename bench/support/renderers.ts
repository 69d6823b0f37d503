// Those that render the same originals at the same sizes, each behind HTTP in processes of its own.
import { join } from 'node:path';
import { startBare } from './bare-process.ts';
import { Connection } from './connection.ts';
import type { InstalledIpx } from './ipx.ts';
import { untilPrepared, upload } from './objects.ts';
import { treeCpuMs } from './process-usage.ts';
import { startService } from './service.ts';

export type Wanted = { original: number; width: number; height: number | null };
export type RendererName = 'with' | 'without' | 'sharp' | 'ipx';

export type Renderer = {
  name: RendererName;
  port: number;
  pid: number;
  pathOf(wanted: Wanted): string;
  /** Of the background work on each upload, where there is any. */
  preparingMs?: number;
} & AsyncDisposable;

export type RenderedBatch = { cpuMsPerImage: number; images: Buffer[] };

const bench = join(import.meta.dirname, '..');
const quality = 80;
/** That of our image workers: other work on the machine then interrupts all alike, which costs processor time. */
const niceness = 10;
/** As many as the machine that prints our figures has cores; each of them is held busy. */
const connections = 2;

export async function startTintype(
  name: 'with' | 'without',
  dataDir: string,
  originals: readonly Buffer[],
): Promise<Renderer> {
  const environment = { MEZZANINES: name === 'with' ? 'on' : 'off' };
  const service = await startService({ dataDir, environment });
  const before = treeCpuMs(service.pid);
  const objects: string[] = [];
  for (const original of originals) objects.push(await upload(service, original));
  await untilPrepared(service);
  return {
    ...service,
    name,
    preparingMs: (treeCpuMs(service.pid) - before) / originals.length,
    pathOf: ({ original, width, height }) =>
      `${objects[original]}${height === null ? '' : `h-${height}_`}w-${width}.webp`,
  };
}

export async function startSharp(folder: string): Promise<Renderer> {
  const options = { environment: { MALLOC_ARENA_MAX: '2' }, niceness };
  const bare = await startBare(join(bench, 'bare-sharp-server.ts'), [folder], options);
  return {
    ...bare,
    name: 'sharp',
    pathOf: ({ original, width, height }) => `/${original}.jpg/${width}x${height ?? ''}`,
  };
}

export async function startIpx({ file }: InstalledIpx, folder: string): Promise<Renderer> {
  const bare = await startBare(join(bench, 'ipx-server.ts'), [file, folder], { niceness });
  return {
    ...bare,
    name: 'ipx',
    pathOf: ({ original, width, height }) =>
      `/${height === null ? `w_${width}` : `s_${width}x${height}`},f_webp,q_${quality}/${original}.jpg`,
  };
}

/** In the order wanted. */
export async function renderAll(renderer: Renderer, wanted: readonly Wanted[]): Promise<RenderedBatch> {
  const images: Buffer[] = [];
  let next = 0;
  const before = treeCpuMs(renderer.pid);
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = await Connection.open(renderer.port);
      for (let i = next++; i < wanted.length; i = next++) {
        const path = renderer.pathOf(wanted[i] as Wanted);
        const answer = await connection.exchange(
          Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`),
        );
        if (answer.status !== 200) throw new Error(`${renderer.name} answered ${path} with ${answer.status}`);
        images[i] = answer.body();
      }
      connection.close();
    }),
  );
  return { cpuMsPerImage: (treeCpuMs(renderer.pid) - before) / wanted.length, images };
}
