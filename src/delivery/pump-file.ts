// Sends a file through a buffer that is used again and again. A stream takes new memory for every piece it reads, and to get
// that from the system costs more than to read and to send.
import { type ReadStream, read as readWithCallback } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';

const read = promisify(readWithCallback);
const pieceBytes = 128 * 1024;
const maxSpare = 32;
const spare: Buffer[] = [];

/** The open file that a stream stands for. The stream itself is not read, it only owns the descriptor. */
export type OpenFile = { fd: number; start: number };

export function fileOf(body: ReadStream): OpenFile | null {
  const { fd, start } = body as unknown as { fd: unknown; start?: number };
  return typeof fd === 'number' ? { fd, start: start ?? 0 } : null;
}

/** False when not all was sent: the client hung up, or the file is shorter than it was. */
export async function pumpFile(
  { fd, start }: OpenFile,
  bytes: number,
  response: ServerResponse,
): Promise<boolean> {
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
  const hungUp = new Promise<false>((resolve) => response.once('close', () => resolve(false)));
  for (let at = start; at < start + bytes;) {
    const { bytesRead } = await read(fd, buffer, 0, Math.min(pieceBytes, start + bytes - at), at);
    if (bytesRead === 0) return false;
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
