// What every piece of client work needs: the service, the model, chance, and requests that fail in known ways.
import { isDeepStrictEqual } from 'node:util';
import { type Answer, type Api, describe, json, type Request } from '../api.ts';
import type { Model } from '../model.ts';
import type { Random } from '../../support/random.ts';
import { sha256, type Upload, uploadBody, type UploadMaker } from '../uploads.ts';

export type LoadParts = {
  api: Api;
  model: Model;
  random: Random;
  uploads: UploadMaker;
  /** Whether the service may answer 5xx, which then promises nothing either way. */
  faulty?: boolean;
};
export type Work = (context: LoadContext) => Promise<void>;

/** The service does not answer any more. */
export class Gone extends Error {}
/** It answered 5xx where that is allowed. */
export class Failed extends Error {}

export class LoadContext {
  readonly model: Model;
  readonly random: Random;
  readonly uploads: UploadMaker;
  failures = 0;
  readonly #api: Api;
  readonly #faulty: boolean;
  #bucketId: string | null = null;
  #madeIds = 0;

  constructor({ api, model, random, uploads, faulty = false }: LoadParts) {
    this.#api = api;
    this.model = model;
    this.random = random;
    this.uploads = uploads;
    this.#faulty = faulty;
  }

  /** An id that was never used, or one whose object was deleted. */
  newId(): string {
    const used = this.model.deletedIds().filter((id) => !this.model.isBusy(id));
    if (used.length > 0 && this.random.chance(0.3)) return this.random.pick(used);
    return `${Date.now().toString(36)}.own-${(this.#madeIds += 1)}`;
  }

  /** The answer, which must have one of these statuses. */
  async request(path: string, request: Request = {}, statuses: readonly number[] = [200]): Promise<Answer> {
    const answer = await this.#api.send(path, request);
    if (!answer) throw new Gone();
    if (statuses.includes(answer.status)) return answer;
    if (this.#faulty && answer.status >= 500) {
      this.failures += 1;
      if (isDeepStrictEqual(Object.keys(json<object>(answer)), ['error'])) throw new Failed();
    }
    throw new Error(`${request.method ?? 'GET'} ${path} was answered ${describe(answer)}`);
  }

  upload(upload: Upload, options: { key?: string; statuses?: number[] } = {}): Promise<Answer> {
    const headers: Record<string, string> = options.key ? { 'Idempotency-Key': options.key } : {};
    return this.request('/upload/', { method: 'POST', body: uploadBody(upload), headers }, options.statuses);
  }

  /** The public address of an object, up to its final slash. */
  async addressOf(id: string): Promise<string> {
    this.#bucketId ??= json<{ bucket_id: string }>(await this.request('/user/')).bucket_id;
    return `/files/${this.#bucketId}/${id}/`;
  }

  async expectOriginal(id: string, hash: string): Promise<void> {
    const { bytes } = await this.request(`${await this.addressOf(id)}original`);
    if (sha256(bytes) !== hash) throw new Error(`${id} shows bytes that are not its own`);
  }
}
