// The data of this service, written as an upload over HTTP writes it: same checks, same limits, also while a server runs.
import { limitsOf } from '../accounts/limits.ts';
import type { Account } from '../accounts/tables.ts';
import { cleanFileName } from '../objects/object-fields.ts';
import type { Stores } from '../objects/stores.ts';
import { fetchSource } from '../objects/uploads/fetch-source.ts';
import { newOriginal } from '../objects/uploads/new-original.ts';
import { receiveFile } from '../objects/uploads/receive-file.ts';
import type { UploadStore } from '../objects/uploads/store-upload.ts';
import { assertPublicAddress } from '../platform/egress/public-address.ts';
import { BodyRateGuard } from '../platform/http/body-rate.ts';
import type { OpenedFile } from './import-source.ts';
import type { ImportTarget, ItemUpload, StoredItem } from './import-target.ts';

export type LocalTargetParts = {
  readonly stores: Stores;
  readonly uploads: UploadStore;
  readonly account: Account;
  /** Whether addresses may lead inside, as for `/upload/url`. */
  readonly allowPrivate: boolean;
};

export class LocalTarget implements ImportTarget, Disposable {
  readonly accountId: string;
  readonly #parts: LocalTargetParts;
  readonly #guard = new BodyRateGuard();

  constructor(parts: LocalTargetParts) {
    this.#parts = parts;
    this.accountId = parts.account.account_id;
  }

  async storedBefore(idempotencyKey: string): Promise<string | undefined> {
    return (await this.#parts.uploads.firstAnswer(this.#parts.account, idempotencyKey))?.object_id;
  }

  async storeFile(file: OpenedFile, upload: ItemUpload): Promise<StoredItem> {
    return this.#store(await file.read(), upload);
  }

  async storeAddress(url: string, upload: ItemUpload): Promise<StoredItem> {
    const { allowPrivate } = this.#parts;
    assertPublicAddress(url, { allowPrivate });
    const { signal } = new AbortController();
    const source = { audience: 'account', allowPrivate, url, signal, guard: this.#guard } as const;
    const { fileName, bytes } = await fetchSource(source);
    return this.#store(bytes, { ...upload, fileName: cleanFileName(fileName) });
  }

  [Symbol.dispose](): void {
    this.#guard.close();
  }

  async #store(bytes: AsyncIterable<Buffer>, upload: ItemUpload): Promise<StoredItem> {
    const { stores, uploads, account } = this.#parts;
    const { objectId, tags, folder, fileName, idempotencyKey } = upload;
    const file = await receiveFile(bytes, await newOriginal(stores, account), limitsOf(account));
    const fields = { objectId, tags: [...tags], folder, fileName };
    const stored = await uploads.store({ account, file, fields, idempotencyKey });
    return { objectId: stored.object_id, sizeBytes: file.sizeBytes };
  }
}
