// A large file in pieces, by the protocol of tus: after a broken line or a restart of the service it goes on where it stood.
import type { StoredObject } from './api.ts';
import type { Calls, CallOptions } from './calls.ts';
import { ConnectionError, isRefusal, TintypeError } from './errors.ts';
import { sleep } from './sleep.ts';
import { asBlob, type Progress } from './upload-body.ts';
import { fileNameOf, formFields, type ObjectFields } from './upload-file.ts';

export type ResumableOptions = CallOptions &
  ObjectFields & {
    readonly fileName?: string | undefined;
    readonly onProgress?: ((progress: Progress) => void) | undefined;
    /** Where it is being sent to, as soon as that is known: keep it, and give it as `resume` to go on later. */
    readonly onBegin?: ((address: string) => void) | undefined;
    readonly resume?: string | undefined;
    readonly chunkBytes?: number | undefined;
  };

const version = { 'Tus-Resumable': '1.0.0' };
const standardChunkBytes = 8 * 1024 * 1024;
/** Tries in a row that bring nothing. */
const maxVainTries = 8;

export async function uploadResumable(
  calls: Calls,
  file: Blob | ArrayBuffer | Uint8Array,
  options: ResumableOptions = {},
): Promise<StoredObject> {
  const blob = asBlob(file);
  const path = pathOf(options.resume ?? (await begin(calls, blob, fileNameOf(file, options), options)));
  let offset = options.resume === undefined ? 0 : undefined;
  for (let vain = 0; ;) {
    try {
      offset ??= await offsetOf(calls, path, options);
      const answer = await sendPiece(calls, path, blob, offset, options);
      if (answer.done) return answer.done;
      vain = 0;
      offset = answer.offset;
    } catch (error) {
      if (!isWorthAnotherTry(error) || (vain += 1) > maxVainTries) throw error;
      offset = undefined;
      await sleep(250 * 2 ** Math.min(vain, 6), options.signal);
    }
  }
}

/** Gives up an upload that was begun; the service forgets it. */
export async function cancelResumable(
  calls: Calls,
  address: string,
  { signal }: CallOptions = {},
): Promise<void> {
  await calls.read(pathOf(address), { method: 'DELETE', headers: version, signal, repeatable: true });
}

async function begin(calls: Calls, blob: Blob, fileName: string, options: ResumableOptions): Promise<string> {
  const metadata = { filename: fileName, filetype: blob.type, ...formFields(options) };
  const { headers } = await calls.read('/upload/resumable', {
    method: 'POST',
    headers: { ...version, 'Upload-Length': String(blob.size), 'Upload-Metadata': metadataOf(metadata) },
    signal: options.signal,
    repeatable: true,
  });
  const address = headers.get('location') ?? '';
  options.onBegin?.(address);
  return address;
}

/** Where it stands; all of it when it was complete and only the answer was lost. */
async function offsetOf(calls: Calls, path: string, { signal }: CallOptions): Promise<number> {
  const { headers } = await calls.read(path, { method: 'HEAD', headers: version, signal, repeatable: true });
  return Number(headers.get('upload-offset'));
}

async function sendPiece(
  calls: Calls,
  path: string,
  blob: Blob,
  offset: number,
  options: ResumableOptions,
): Promise<{ done: StoredObject } | { done?: undefined; offset: number }> {
  const { signal, onProgress, chunkBytes = standardChunkBytes } = options;
  const piece = blob.slice(offset, offset + chunkBytes);
  if (piece.size === 0 && blob.size > 0) return { done: await resultOf(calls, path, options) };
  const { status, body, headers } = await calls.read<StoredObject>(path, {
    method: 'PATCH',
    body: piece,
    headers: {
      ...version,
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
    },
    signal,
    repeatable: false,
  });
  onProgress?.({ sentBytes: offset + piece.size, totalBytes: blob.size });
  if (status === 200) return { done: body };
  return { offset: Number(headers.get('upload-offset')) };
}

async function resultOf(calls: Calls, path: string, { signal }: CallOptions): Promise<StoredObject> {
  const request = { method: 'GET', headers: version, signal, repeatable: true };
  return (await calls.read<StoredObject>(path, request)).body;
}

function isWorthAnotherTry(error: unknown): boolean {
  if (error instanceof ConnectionError || isRefusal(error, 'offset_conflict', 'upload_unfinished'))
    return true;
  return error instanceof TintypeError && [408, 423, 429, 502, 503, 504].includes(error.status);
}

/** The service names itself by its public address, which need not be the one we reach it at. */
function pathOf(address: string): string {
  const path = /\/upload\/resumable\/[\w-]+/.exec(address)?.[0];
  // Put behind our address as it is, it could name another host, which would then be shown the key.
  if (path === undefined) throw new TypeError(`This is not the address of an upload: ${address}`);
  return path;
}

function metadataOf(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name} ${base64(value)}`)
    .join(',');
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
