// A file of this machine that an assistant was told to upload. What is no picture or film is refused before a byte of it
// leaves: whoever talks an assistant into sending a private file gets nothing.
import { constants, openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { SNIFF_BYTES, sniffType } from '../lib/sniff-type.ts';
import { unsupportedType } from '../lib/unsupported-type.ts';
import { ToolFault } from './tool.ts';

export type LocalFile = { readonly blob: Blob; readonly fileName: string; readonly sizeBytes: number };

export async function openLocalFile(given: string): Promise<LocalFile> {
  const path = given.startsWith('~/') ? join(homedir(), given.slice(2)) : given;
  if (!isAbsolute(path))
    throw new ToolFault(`"${given}" is not the whole path of a file; ask the user for it.`);
  const { head, sizeBytes } = await look(path);
  if (sizeBytes === 0) throw new ToolFault(`${path} is empty.`);
  const sniffed = sniffType(head);
  if (sniffed.kind === 'refused') throw new ToolFault(`${path}: ${unsupportedType(sniffed)}.`);
  return { blob: await openAsBlob(path), fileName: basename(path), sizeBytes };
}

async function look(path: string): Promise<{ head: Buffer; sizeBytes: number }> {
  // A pipe would otherwise be waited for until somebody writes into it.
  await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new ToolFault(`There is no file ${path}.`) : error;
    },
  );
  const facts = await handle.stat();
  if (!facts.isFile()) throw new ToolFault(`${path} is not a regular file.`);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
  return { head: buffer.subarray(0, bytesRead), sizeBytes: facts.size };
}
