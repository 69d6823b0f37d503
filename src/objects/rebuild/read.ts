// Reads a manifest as JSON of our kind; what lies inside is for others to judge.
import type { Storage } from '../../platform/storage/storage.ts';
import { DamagedManifest } from './report.ts';

const maxManifestBytes = 16 * 1024 * 1024;

/** Null when there is none. Throws DamagedManifest. */
export async function readManifest(
  storage: Storage,
  key: string,
): Promise<Readonly<Record<string, unknown>> | null> {
  const stream = await storage.get(key);
  if (!stream) return null;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxManifestBytes) throw new DamagedManifest('is too large');
    chunks.push(chunk);
  }
  return parse(Buffer.concat(chunks).toString());
}

function parse(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DamagedManifest('is not JSON');
  }
  if (typeof value !== 'object' || value === null || !('tintype' in value) || value.tintype !== 1)
    throw new DamagedManifest('is not a manifest this version knows');
  return value as Record<string, unknown>;
}
