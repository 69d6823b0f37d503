// What tests of films ask of a server again and again: an upload, and the end of its processing.
import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import type { TestServer, UploadOptions } from './server.ts';

const processingMs = 60_000;

export async function uploadFilm(
  server: TestServer,
  film: Buffer,
  fields: Record<string, string> = {},
  options: UploadOptions = {},
): Promise<any> {
  const { status, body } = await server.upload(film, fields, { fileName: 'film.mp4', ...options });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The object once it is as wanted; fails with what it is instead. */
export function untilStatus(
  server: TestServer,
  objectId: string,
  status: 'ready' | 'failed' = 'ready',
  options: { key?: string } = {},
): Promise<any> {
  return eventually(async () => {
    const { body } = await server.json(`/get/${objectId}`, options);
    assert.equal(body.status, status, JSON.stringify(body));
    return body;
  }, processingMs);
}

/** Every address a playlist names, made absolute. */
export function addressesIn(playlist: string, base: string): string[] {
  const lines = playlist.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const attributes = [...playlist.matchAll(/URI="([^"]+)"/g)].map(([, address]) => address as string);
  return [...lines, ...attributes].map((address) => new URL(address, base).href);
}
