// A variant on disk: the image, followed by a trailer that says what it is. So a cached variant needs no database for its
// strong ETag, and a torn file is known as such. The trailer is a `free` box, which AVIF readers skip; all others stop at
// the end of the image anyway.
import { createHash } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, writevSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isThere } from '../../platform/is-there.ts';
import { ownerName } from '../../platform/owner-name.ts';

export type VariantFacts = {
  /** Bytes of the image, without the trailer. */
  readonly size: number;
  readonly sha256: string;
  readonly width: number;
  readonly height: number;
};

export type VariantFile = VariantFacts & {
  readonly handle: FileHandle;
  /** When the file was made or last noted as used. */
  readonly usedAt: number;
};

const magic = Buffer.from('tintype-variant\n');
const version = 1;
const boxHeaderBytes = 8;
const sha256Bytes = 32;
const offsets = { magic: 8, version: 24, width: 28, height: 32, size: 36, sha256: 44 } as const;
export const trailerBytes = offsets.sha256 + sha256Bytes;

export function encodeTrailer(facts: VariantFacts): Buffer {
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeUInt32BE(trailerBytes, 0);
  trailer.write('free', 4, 'latin1');
  magic.copy(trailer, boxHeaderBytes);
  trailer.writeUInt32BE(version, offsets.version);
  trailer.writeUInt32BE(facts.width, offsets.width);
  trailer.writeUInt32BE(facts.height, offsets.height);
  trailer.writeBigUInt64BE(BigInt(facts.size), offsets.size);
  trailer.write(facts.sha256, offsets.sha256, 'hex');
  return trailer;
}

export function decodeTrailer(trailer: Buffer): VariantFacts | null {
  if (trailer.length !== trailerBytes) return null;
  if (!trailer.subarray(boxHeaderBytes, offsets.version).equals(magic)) return null;
  if (trailer.readUInt32BE(offsets.version) !== version) return null;
  return {
    size: Number(trailer.readBigUInt64BE(offsets.size)),
    sha256: trailer.toString('hex', offsets.sha256),
    width: trailer.readUInt32BE(offsets.width),
    height: trailer.readUInt32BE(offsets.height),
  };
}

/** Where the writer works until the file is whole; its process id keeps writers of one variant apart. */
export function temporaryPath(path: string, writerPid: number, stagingFolder = dirname(path)): string {
  const hex = createHash('sha256').update(path).digest('hex').slice(0, 24);
  return join(stagingFolder, ownerName(writerPid, hex));
}

/**
 * The folder must exist: one that is gone was removed with its object, and must not come back. Waits for the disk, because
 * a worker has nothing else to do and a thread for each step costs more than the step.
 */
export async function writeVariant(
  path: string,
  image: Buffer,
  facts: VariantFacts,
  stagingFolder?: string,
): Promise<void> {
  const temporary = temporaryPath(path, process.pid, stagingFolder);
  try {
    writeWhole(temporary, [image, encodeTrailer(facts)]);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeWhole(path: string, parts: readonly Buffer[]): void {
  const file = openSync(path, 'w');
  try {
    let left = [...parts];
    while (left.length > 0) left = withoutStart(left, writevSync(file, left));
  } finally {
    closeSync(file);
  }
}

/** A disk that is nearly full takes a part and refuses the rest only then. */
function withoutStart(parts: readonly Buffer[], written: number): Buffer[] {
  let start = written;
  return parts.flatMap((part) => {
    const skipped = Math.min(start, part.length);
    start -= skipped;
    return skipped < part.length ? [part.subarray(skipped)] : [];
  });
}

/** Null when there is no such variant, or not a whole one. The caller closes the handle. */
export async function readVariant(path: string): Promise<VariantFile | null> {
  const handle = await openIfThere(path);
  if (handle === null) return null;
  try {
    const { size: fileBytes, mtimeMs: usedAt } = await handle.stat();
    const facts = await readFacts(handle, fileBytes);
    if (facts !== null && facts.size + trailerBytes === fileBytes) return { handle, usedAt, ...facts };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return null;
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  if (!(await isThere(path))) return null;
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function readFacts(handle: FileHandle, fileBytes: number): Promise<VariantFacts | null> {
  if (fileBytes < trailerBytes) return null;
  const trailer = Buffer.alloc(trailerBytes);
  const { bytesRead } = await handle.read(trailer, 0, trailerBytes, fileBytes - trailerBytes);
  return decodeTrailer(trailer.subarray(0, bytesRead));
}
