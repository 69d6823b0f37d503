// What an import writes to: the data of this service, or a service elsewhere. Faults are those of an upload, as `AppError`
// or as the client's errors.
import type { OpenedFile } from './import-source.ts';

export interface ImportTarget {
  readonly accountId: string;
  /** The object a run that died had stored under this key and not written down, where that can be told beforehand. */
  storedBefore(idempotencyKey: string): Promise<string | undefined>;
  storeFile(file: OpenedFile, upload: ItemUpload): Promise<StoredItem>;
  storeAddress(url: string, upload: ItemUpload): Promise<StoredItem>;
}

export type ItemUpload = {
  readonly objectId: string | null;
  readonly tags: readonly string[];
  readonly folder: string | null;
  /** Of a file; what an address leads to is called as its server says. */
  readonly fileName: string;
  readonly idempotencyKey: string;
  /** Where a target may note how to go on with an upload that a run left unfinished. */
  readonly unfinished: UnfinishedNote;
  /** Ends waiting, not what is being stored. */
  readonly signal: AbortSignal;
};

export type UnfinishedNote = { read(): string | undefined; write(note: string): Promise<void> };

export type StoredItem = { readonly objectId: string; readonly sizeBytes: number };
