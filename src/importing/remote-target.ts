// A service elsewhere, reached over its API: large files of a folder in pieces that a later run can go on with, what is in
// a bucket streamed through, and addresses handed on for the service to fetch.
import { isRefusal, type StoredObject, type Tintype } from '../../client/src/index.ts';
import type { OpenedFile } from './import-source.ts';
import type { ImportTarget, ItemUpload, StoredItem } from './import-target.ts';
import { patiently } from './patiently.ts';

/** Smaller files go in one request: begun again, they cost less than the questions that pieces need. */
const resumableFromBytes = 8 * 1024 * 1024;

export type RemoteTargetParts = {
  readonly service: Tintype;
  readonly accountId: string;
};

export class RemoteTarget implements ImportTarget {
  readonly accountId: string;
  readonly #service: Tintype;

  constructor({ service, accountId }: RemoteTargetParts) {
    this.accountId = accountId;
    this.#service = service;
  }

  /** The service itself recognises the key, and answers as it did the first time. */
  async storedBefore(): Promise<undefined> {
    return undefined;
  }

  async storeFile(file: OpenedFile, upload: ItemUpload): Promise<StoredItem> {
    const send = await this.#wayFor(file, upload);
    return storedItem(await patiently(send, upload.signal));
  }

  async storeAddress(url: string, upload: ItemUpload): Promise<StoredItem> {
    const { idempotencyKey } = upload;
    const send = () => this.#service.uploadFromUrl(url, { ...fieldsOf(upload), idempotencyKey });
    return storedItem(await patiently(send, upload.signal));
  }

  async #wayFor(file: OpenedFile, upload: ItemUpload): Promise<() => Promise<StoredObject>> {
    const { fileName, idempotencyKey } = upload;
    const options = { ...fieldsOf(upload), fileName };
    if (!file.asBlob) return () => this.#stream(file, { ...options, idempotencyKey });
    const blob = await file.asBlob();
    if (file.sizeBytes < resumableFromBytes)
      return () => this.#service.upload(blob, { ...options, idempotencyKey });
    return () => this.#inPieces(blob, upload, options);
  }

  async #stream(file: OpenedFile, options: Parameters<Tintype['upload']>[1]): Promise<StoredObject> {
    const bytes = await file.read();
    let fault: unknown;
    async function* noted(): AsyncGenerator<Uint8Array> {
      try {
        yield* bytes;
      } catch (error) {
        fault = error;
        throw error;
      }
    }
    try {
      return await this.#service.upload(noted(), options);
    } catch (error) {
      // Otherwise the service would seem to be away.
      throw fault ?? error;
    }
  }

  async #inPieces(
    blob: Blob,
    { unfinished }: ItemUpload,
    options: Parameters<Tintype['uploadResumable']>[1],
  ): Promise<StoredObject> {
    // Where it cannot be noted, the next run begins anew.
    const onBegin = (address: string): void => void unfinished.write(address).catch(() => undefined);
    const send = (resume: string | undefined): Promise<StoredObject> =>
      this.#service.uploadResumable(blob, { ...options, resume, onBegin });
    const begun = unfinished.read();
    if (begun === undefined) return send(undefined);
    try {
      return await send(begun);
    } catch (error) {
      // What refused it at its end may hold no longer, and is told in full only to whoever sends it anew.
      if (!isRefusal(error) || error.status >= 500 || passingStatuses.has(error.status)) throw error;
      return send(undefined);
    }
  }
}

/** The same again would be answered the same. */
const passingStatuses = new Set([401, 408, 423, 429]);

function fieldsOf({ objectId, tags, folder }: ItemUpload) {
  return { tags, folder: folder ?? undefined, object: objectId ?? undefined };
}

function storedItem({ object_id: objectId, size }: StoredObject): StoredItem {
  return { objectId, sizeBytes: Math.round(size * 1024) };
}
