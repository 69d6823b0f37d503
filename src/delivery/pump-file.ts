// Sends a file through a buffer that is used again and again. A stream takes new memory for every piece it reads, and to get
// that from the system costs more than to read and to send.
import { type ReadStream, read as readWithCallback } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';

const read = promisify(readWithCallback);
const pieceBytes = 128 * 1024;
const maxSpare = 32;
const spare: Buffer[] = [];

/** The part of an open file that a stream stands for. The stream itself is not read, it only owns the descriptor. */
export type FilePart = { fd: number; start: number; end: number };

export function partOf(body: ReadStream): FilePart | null {
  const { fd, start, end } = body as unknown as { fd: unknown; start?: number; end?: number };
  return typeof fd === 'number' ? { fd, start: start ?? 0, end: end ?? Infinity } : null;
}

/** False when the client hung up before all was sent. */
export async function pumpFile({ fd, start, end }: FilePart, response: ServerResponse): Promise<boolean> {
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
  const hungUp = new Promise<false>((resolve) => response.once('close', () => resolve(false)));
  for (let at = start; at <= end;) {
    const { bytesRead } = await read(fd, buffer, 0, Math.min(pieceBytes, end - at + 1), at);
    if (bytesRead === 0) break;
    at += bytesRead;
    // Of a connection that was cut the system may still hold the buffer: it is not used again.
    if (
      response.destroyed ||
      !(await Promise.race([written(response, buffer.subarray(0, bytesRead)), hungUp]))
    )
      return false;
  }
  if (spare.length < maxSpare) spare.push(buffer);
  response.end();
  return true;
}

function written(response: ServerResponse, piece: Buffer): Promise<boolean> {
  return new Promise((resolve) => void response.write(piece, (error) => resolve(!error)));
}
