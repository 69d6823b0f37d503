// What tests of variants ask and look at: public addresses, files on disk, counters, plain pictures and their pixels.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { sendJson } from './accounts.ts';
import type { TestServer } from './server.ts';
import { waitingJobs } from './waiting-jobs.ts';

export type Got = { status: number; headers: Headers; bytes: Buffer; ms: number };
export type Rgb = [red: number, green: number, blue: number];

export const short = 'public, max-age=3600, stale-while-revalidate=86400';
export const long = 'public, max-age=31536000, immutable';

/** As anybody asks for a public address. */
export async function get(
  server: TestServer,
  address: string,
  headers: Record<string, string> = {},
): Promise<Got> {
  const startedMs = performance.now();
  const answer = await server.call(address, { key: null, headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes, ms: performance.now() - startedMs };
}

export async function counter(server: TestServer, name: string): Promise<number> {
  const text = await (await server.call('/metrics', { key: null })).text();
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  assert.ok(value !== undefined, `no ${name} in /metrics`);
  return Number(value);
}

export async function change(server: TestServer, key: string, settings: Record<string, unknown>) {
  const { status, body } = await server.json('/user/', { ...sendJson('PATCH', settings), key });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Files of variants: those that stay, and those that may be dropped. */
export async function variantFiles(
  { dataDir }: TestServer,
  place: 'variants' | 'cache',
  generation = '',
): Promise<string[]> {
  const entries = await readdir(join(dataDir, place), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.includes(generation));
}

export async function generationOf({ app }: TestServer, objectId: string): Promise<string> {
  const query = app.core.database.read.selectFrom('objects').select('generation');
  return (await query.where('object_id', '=', objectId).executeTakeFirstOrThrow()).generation;
}

/** Resolves when nothing made by itself is still to come. */
export async function prepared({ app }: TestServer): Promise<void> {
  const waiting = (): Promise<unknown> =>
    waitingJobs(app.core.database).where('dead', '=', 0).executeTakeFirst();
  while (await waiting()) await new Promise((resolve) => setTimeout(resolve, 10));
}

export function plain(
  width: number,
  height: number,
  [r, g, b]: Rgb,
  format: 'png' | 'jpeg' | 'webp' = 'png',
  alpha = 1,
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: alpha === 1 ? 3 : 4, background: { r, g, b, alpha } } })
    .toFormat(format)
    .toBuffer();
}

/** An animated GIF, one frame for each colour. */
export async function animation(width: number, height: number, colours: readonly Rgb[]): Promise<Buffer> {
  const frames = await Promise.all(colours.map((colour) => plain(width, height, colour)));
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: colours.map(() => 100), keepDuplicateFrames: true })
    .toBuffer();
}

export async function pixel(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * 4;
  return [...data.subarray(at, at + 4)];
}

export function isNear(actual: readonly number[], expected: readonly number[], most = 12): boolean {
  return expected.every((value, index) => Math.abs(value - (actual[index] ?? -1000)) <= most);
}
