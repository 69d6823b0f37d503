// What a request of the tus protocol does to our rows and our storage.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../accounts/authenticate.ts';
import { limitsOf } from '../../accounts/limits.ts';
import { toIsoTime } from '../../accounts/units.ts';
import type { StoredAnswer } from './store-upload.ts';
import { AppError } from '../../platform/errors.ts';
import type { ResumableUpload } from '../tables.ts';
import type { TusHandlers, TusUpload } from './ask-tus.ts';
import { bytesUntilEnd } from './bytes-until-end.ts';
import { clearParts } from './clear-parts.ts';
import { type FinishParts, finishUpload } from './finish-upload.ts';
import { type Metadata, planUpload } from './plan-upload.ts';
import { receiveParts } from './receive-parts.ts';
import { endUpload, findUpload, insertUpload, type Owner, requireUpload } from './resumable-rows.ts';
import { termsOf } from './upload-token.ts';
import { whileBusy } from './while-busy.ts';
import type { Writers } from './writers.ts';

/** Bytes of unfinished uploads count to no limit, so their number must; who has no limits has none here either. */
const maxOpenUploads = 100;

export type ResumableParts = FinishParts & { baseUrl: string; writers: Writers };

export function ownerOf({ account, tokenHash }: Caller): Owner {
  return { accountId: account.account_id, tokenHash };
}

export class ResumableRequest implements TusHandlers {
  readonly #parts: ResumableParts;
  readonly #request: FastifyRequest;
  readonly uploadId: string;
  #stored: StoredAnswer | null = null;

  constructor(parts: ResumableParts, request: FastifyRequest, uploadId: string) {
    this.#parts = parts;
    this.#request = request;
    this.uploadId = uploadId;
  }

  locationOf(uploadId: string): string {
    return `${this.#parts.baseUrl}/upload/resumable/${uploadId}`;
  }

  async create({ lengthBytes, metadata }: TusUpload): Promise<void> {
    const { database } = this.#parts;
    const { account, tokenHash } = this.#request.caller;
    const token = await termsOf(database, this.#request.caller);
    const fields = await planUpload(database, { account, token, lengthBytes, metadata });
    const upload = {
      upload_id: this.uploadId,
      account_id: account.account_id,
      bucket_id: account.bucket_id,
      backend: account.storage_backend,
      length_bytes: lengthBytes,
      metadata: JSON.stringify(metadata),
      fields: JSON.stringify(fields),
      token_hash: tokenHash ?? null,
    };
    const isLimited = limitsOf(account).maxVideoBytes !== null;
    await insertUpload(database, upload, { maxOpen: isLimited ? maxOpenUploads : null });
  }

  async find(): Promise<TusUpload> {
    const upload = await this.#own();
    return {
      lengthBytes: upload.length_bytes,
      receivedBytes: upload.received_bytes,
      metadata: JSON.parse(upload.metadata) as Metadata,
    };
  }

  async write(): Promise<number> {
    const { database, stores, writers } = this.#parts;
    const { raw } = this.#request;
    const upload = await this.#own();
    if (upload.state === 'done') return upload.received_bytes;
    // Another request may have brought the same bytes since the protocol was looked at.
    if (upload.received_bytes !== Number(raw.headers['upload-offset'] ?? 0))
      throw new AppError('offset_conflict');
    return writers.follow(upload.upload_id, raw, () =>
      receiveParts({ database, storage: stores[upload.backend], upload }, bytesUntilEnd(raw)),
    );
  }

  async finish(): Promise<{ status_code?: number }> {
    const { raw, caller } = this.#request;
    this.#stored = await whileBusy(raw, () => finishUpload(this.#parts, caller.account, this.uploadId));
    // Without a place to go to from here, a client would take the answer to a creation for a fault.
    return this.#request.method === 'POST' ? {} : { status_code: 200 };
  }

  async remove(): Promise<void> {
    const { database, stores } = this.#parts;
    const upload = await this.#own();
    await endUpload(database, upload.upload_id);
    // What stays of it is the janitor's.
    await clearParts(database, stores, upload).catch(() => undefined);
  }

  /** The object when it is one, otherwise how far it is; and until when there is time for the rest. */
  async bodyOf(reply: FastifyReply): Promise<object | null> {
    if (this.#stored) return this.#stored;
    const upload = await findUpload(this.#parts.database, ownerOf(this.#request.caller), this.uploadId);
    if (upload?.state !== 'open') return null;
    reply.header('Upload-Expires', new Date(upload.expires_at).toUTCString());
    return {
      upload_url: this.locationOf(upload.upload_id),
      offset: upload.received_bytes,
      length: upload.length_bytes,
      expires_at: toIsoTime(upload.expires_at),
    };
  }

  #own(): Promise<ResumableUpload> {
    return requireUpload(this.#parts.database, ownerOf(this.#request.caller), this.uploadId);
  }
}
