// What is being uploaded, whichever page is shown: it goes on while its user looks at something else. Files go by the
// resumable protocol, through Uppy, which is loaded with the first of them; addresses are fetched by the service.
import { useSyncExternalStore } from 'react';
import type { StoredObject } from '../../../client/src/index.ts';
import { randomId } from '../../../client/src/random-id.ts';
import { isSignedOut, tintype } from '../api.ts';
import { loadPart } from '../parts/load-part.ts';
import { sentence } from '../parts/sentence.ts';
import { queryClient } from '../query-client.ts';
import { leaveSession } from '../session.ts';
import type { FileSender } from './file-sender.ts';

export type Upload = {
  readonly id: string;
  readonly name: string;
  /** Null where the service fetches it. */
  readonly totalBytes: number | null;
  readonly sentBytes: number;
  readonly state: 'waiting' | 'sending' | 'paused' | 'done' | 'failed';
  readonly error: string | null;
  readonly canRetry: boolean;
  readonly object: StoredObject | null;
};
export type BatchFields = { readonly tags: readonly string[]; readonly folder: string };

const addressesAtOnce = 3;
const afterUpload = ['objects', 'tags', 'folders', 'account'];

let uploads: readonly Upload[] = [];
const listeners = new Set<() => void>();
const addresses = new Map<string, { url: string; fields: BatchFields; stop: AbortController }>();
let sender: Promise<FileSender> | null = null;

export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(subscribe, () => uploads);
}

export async function addFiles(files: readonly File[], fields: BatchFields): Promise<void> {
  const entries = files.map((file) => ({ file, id: randomId() }));
  set([...uploads, ...entries.map(({ file, id }) => waiting(id, file.name, file.size))]);
  const ready = await fileSender();
  for (const { id, file } of entries) {
    const problem = whyNot(file);
    if (problem === null) ready.add(id, file, fields);
    else change(id, { state: 'failed', error: problem, canRetry: false });
  }
}

export function addAddresses(urls: readonly string[], fields: BatchFields): void {
  for (const url of urls) {
    const id = randomId();
    addresses.set(id, { url, fields, stop: new AbortController() });
    set([...uploads, waiting(id, url, null)]);
  }
  fetchNext();
}

export async function pause(id: string): Promise<void> {
  (await fileSender()).pause(id);
}

export async function resume(id: string): Promise<void> {
  (await fileSender()).resume(id);
}

export async function retry(id: string): Promise<void> {
  change(id, { state: 'waiting', error: null });
  if (addresses.has(id)) fetchNext();
  else (await fileSender()).retry(id);
}

/** Out of the list; what was under way is given up. */
export async function remove(id: string): Promise<void> {
  const upload = uploads.find((each) => each.id === id);
  addresses.get(id)?.stop.abort();
  addresses.delete(id);
  set(uploads.filter((each) => each.id !== id));
  if (upload && upload.totalBytes !== null) (await fileSender()).remove(id);
}

/** Whoever signs in next has nothing to do with them. */
export function forgetUploads(): void {
  for (const { id } of uploads) void remove(id);
}

export function clearDone(): void {
  for (const { id, state } of uploads) if (state === 'done') void remove(id);
}

function fileSender(): Promise<FileSender> {
  return (sender ??= loadPart(() => import('./file-sender.ts')).then(({ createFileSender }) =>
    createFileSender({ change, done }),
  ));
}

function fetchNext(): void {
  const busy = uploads.filter(({ id, state }) => addresses.has(id) && state === 'sending').length;
  const next = uploads.filter(({ id, state }) => addresses.has(id) && state === 'waiting');
  for (const { id } of next.slice(0, addressesAtOnce - busy)) void fetchAddress(id);
}

async function fetchAddress(id: string): Promise<void> {
  const { url, fields, stop } = addresses.get(id) as {
    url: string;
    fields: BatchFields;
    stop: AbortController;
  };
  change(id, { state: 'sending' });
  try {
    const { tags, folder } = fields;
    done(
      id,
      await tintype.uploadFromUrl(url, {
        tags,
        ...(folder ? { folder } : {}),
        idempotencyKey: id,
        signal: stop.signal,
      }),
    );
    addresses.delete(id);
  } catch (error) {
    if (stop.signal.aborted) return fetchNext();
    if (isSignedOut(error)) leaveSession('ended');
    change(id, { state: 'failed', error: sentence(error) });
  }
  fetchNext();
}

function done(id: string, object: StoredObject): void {
  change(id, { state: 'done', error: null, object, name: object.original_file_name });
  for (const key of afterUpload) void queryClient.invalidateQueries({ queryKey: [key] });
}

/** What can be told before a byte is sent; everything else is for the service to judge. */
function whyNot({ size, type, name }: File): string | null {
  if (size === 0) return 'The file is empty.';
  if (type === '' || /^(image|video)\//.test(type)) return null;
  return `“${name}” is not a picture or film. Supported are JPEG, PNG, GIF, WebP and AVIF, and films as MP4, MOV, AVI, MKV, WebM or MPEG.`;
}

function waiting(id: string, name: string, totalBytes: number | null): Upload {
  return { id, name, totalBytes, sentBytes: 0, state: 'waiting', error: null, canRetry: true, object: null };
}

function change(id: string, part: Partial<Upload>): void {
  set(uploads.map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));
}

function set(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Leaving the page would end what is under way.
addEventListener('beforeunload', (event) => {
  if (uploads.some(({ state }) => state === 'sending' || state === 'waiting')) event.preventDefault();
});
