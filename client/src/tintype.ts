// The whole API of a Tintype service, as calls with types.
import { accountCalls, type AccountCalls } from './account-calls.ts';
import type {
  BulkResult,
  ChangedObject,
  CreatedVariant,
  ListingPage,
  NameWithCount,
  ObjectDetails,
  SearchResult,
  StoredObject,
  UploadToken,
} from './api.ts';
import {
  type AnswerOf,
  type BodyOf,
  type CallOptions,
  Calls,
  type ConnectionOptions,
  nextCursorOf,
  type QueryOf,
} from './calls.ts';
import { keyCalls, type KeyCalls } from './key-calls.ts';
import { randomId } from './random-id.ts';
import { sessionCalls, type SessionCalls } from './session-calls.ts';
import type { FileSource } from './upload-body.ts';
import { type ObjectFields, uploadFile, type UploadOptions } from './upload-file.ts';
import { cancelResumable, type ResumableOptions, uploadResumable } from './upload-resumable.ts';
import { userCalls, type UserCalls } from './user-calls.ts';
import { webhookCalls, type WebhookCalls } from './webhook-calls.ts';

export type ListOptions = CallOptions & Omit<QueryOf<'GET /get/'>, 'view'>;
export type SearchOptions = CallOptions & Omit<QueryOf<'GET /get/search'>, 'q' | 'like'>;
export type Listing = ListingPage & {
  readonly items: readonly ObjectDetails[];
  /** Null where counting would be dear: a filter that more than 10,000 objects pass. */
  readonly total: number | null;
  /** Goes into `cursor` for the next page; null at the end, and when pages are asked for by number. */
  readonly nextCursor: string | null;
  readonly isLast: boolean;
};
export type Found = {
  readonly objectId: string;
  readonly objectUrl: string;
  readonly thumbnail: string;
  readonly caption: string;
  /** 0 to 1. */
  readonly similarity: number;
};

export class Tintype {
  /** Settings and use of the account this key belongs to, and its analysis. */
  readonly account: UserCalls;
  /** For pages of the service itself. */
  readonly session: SessionCalls;
  readonly keys: KeyCalls;
  readonly webhooks: WebhookCalls;
  /** All accounts; for operators. */
  readonly accounts: AccountCalls;
  readonly #calls: Calls;

  constructor(options: ConnectionOptions) {
    const calls = new Calls(options);
    this.#calls = calls;
    this.account = userCalls(calls);
    this.session = sessionCalls(calls);
    this.keys = keyCalls(calls);
    this.webhooks = webhookCalls(calls);
    this.accounts = accountCalls(calls);
  }

  upload(file: FileSource, options?: UploadOptions): Promise<StoredObject> {
    return uploadFile(this.#calls, file, options);
  }

  /** For large files and bad lines: goes on where it broke off. */
  uploadResumable(file: Blob | ArrayBuffer | Uint8Array, options?: ResumableOptions): Promise<StoredObject> {
    return uploadResumable(this.#calls, file, options);
  }

  /** Gives up an upload that was begun, by the address `onBegin` told. */
  cancelResumable(address: string, options?: CallOptions): Promise<void> {
    return cancelResumable(this.#calls, address, options);
  }

  /** Has the service fetch the file. */
  uploadFromUrl(
    url: string,
    { signal, idempotencyKey, ...fields }: CallOptions & ObjectFields & { idempotencyKey?: string } = {},
  ): Promise<StoredObject> {
    const headers = { 'Idempotency-Key': idempotencyKey ?? randomId() };
    return this.#calls.json('POST /upload/url', { body: { url, ...fields }, headers, signal });
  }

  /** A token for one upload, to be handed to a browser. */
  signUpload({ signal, ...body }: CallOptions & BodyOf<'POST /upload/sign'> = {}): Promise<UploadToken> {
    return this.#calls.json('POST /upload/sign', { body, signal });
  }

  /** One page, newest first. */
  async list({ signal, ...query }: ListOptions = {}): Promise<Listing> {
    return this.#listing('GET /get/', query, signal);
  }

  /** Every object that passes the filter, page by page as they are needed. */
  async *listAll(
    options: Omit<ListOptions, 'page' | 'cursor'> = {},
  ): AsyncGenerator<ObjectDetails, void, undefined> {
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Listing = await this.list({ page_size: 100, ...options, cursor });
      yield* page.items;
      cursor = page.nextCursor;
    }
  }

  /** One page of those that carry all these tags. */
  async listByTags(tags: readonly string[], { signal, ...query }: ListOptions = {}): Promise<Listing> {
    return this.#listing('GET /get/tags', { ...query, tags }, signal);
  }

  get(objectId: string, { signal }: CallOptions = {}): Promise<ObjectDetails> {
    return this.#calls.json('GET /get/{object_id}', { path: { object_id: objectId }, signal });
  }

  /** By describing what is to be seen. */
  search(q: string, options: SearchOptions = {}): Promise<Found[]> {
    return this.#find({ q }, options);
  }

  /** Those that look like one of them. */
  searchLike(objectId: string, options: SearchOptions = {}): Promise<Found[]> {
    return this.#find({ like: objectId }, options);
  }

  /** Replaces the tags, and the folder if one is given. */
  update(
    objectId: string,
    { signal, ...body }: CallOptions & BodyOf<'POST /update/{object_id}'>,
  ): Promise<ChangedObject> {
    return this.#calls.json('POST /update/{object_id}', { path: { object_id: objectId }, body, signal });
  }

  delete(objectId: string, { signal }: CallOptions = {}): Promise<ChangedObject> {
    return this.#calls.json('DELETE /delete/{object_id}', { path: { object_id: objectId }, signal });
  }

  /** Up to 1000 objects at once; each has its own outcome. */
  async bulk({ signal, ...body }: CallOptions & BodyOf<'POST /bulk/'>): Promise<BulkResult['results']> {
    return (await this.#calls.json('POST /bulk/', { body, signal })).results;
  }

  /** Makes a variant and keeps it: `create('254eb321f618', 'w-800.webp')`. */
  create(objectId: string, transformation: string, { signal }: CallOptions = {}): Promise<CreatedVariant> {
    const path = { object_id: objectId, transformation };
    return this.#calls.json('GET /create/{object_id}/{transformation}', { path, signal });
  }

  async tags({ signal }: CallOptions = {}): Promise<readonly NameWithCount[]> {
    return (await this.#calls.json('GET /tags/', { signal })).tags;
  }

  async folders({ signal }: CallOptions = {}): Promise<readonly NameWithCount[]> {
    return (await this.#calls.json('GET /folders/', { signal })).folders;
  }

  /** Whether the service runs and can serve; what it lacks when it cannot. */
  async health({ signal }: CallOptions = {}): Promise<AnswerOf<'GET /health/ready'>> {
    await this.#calls.json('GET /health/live', { signal });
    return this.#calls.json('GET /health/ready', { signal });
  }

  async #listing(
    name: 'GET /get/' | 'GET /get/tags',
    query: Omit<ListOptions, 'signal'>,
    signal: AbortSignal | undefined,
  ): Promise<Listing> {
    const { body, headers } = await this.#calls.answer(name, { query: { ...query, view: 'full' }, signal });
    const total = headers.get('x-total-count');
    return {
      ...body,
      items: body.items ?? [],
      total: total === null ? null : Number(total),
      nextCursor: nextCursorOf(headers),
      isLast: !headers.has('link'),
    };
  }

  async #find(what: { q: string } | { like: string }, { signal, ...query }: SearchOptions): Promise<Found[]> {
    return found(await this.#calls.json('GET /get/search', { query: { ...query, ...what }, signal }));
  }
}

/** The last part of an object's address. */
export function objectIdOf(objectUrl: string): string {
  return decodeURIComponent(objectUrl.replace(/\/+$/, '').split('/').pop() ?? '');
}

function found({ objects, thumbnails, captions, similarities }: SearchResult): Found[] {
  return objects.map((objectUrl, index) => ({
    objectId: objectIdOf(objectUrl),
    objectUrl,
    thumbnail: thumbnails[index] ?? '',
    caption: captions[index] ?? '',
    similarity: similarities[index] ?? 0,
  }));
}
