// The public addresses. A small file asked for before is answered from memory by its raw path; everything else goes from
// address to facts to file. Runs in front of the framework, because it is what the service does most.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { negotiateFormat } from '../images/negotiate-format.ts';
import { originalImageOf } from '../images/original-image.ts';
import type { VariantRenderer } from '../images/render-variant.ts';
import {
  parseTransformation,
  printTransformation,
  type VariantTransformation,
  withFormat,
} from '../images/transformation.ts';
import { Lru } from '../lib/lru.ts';
import { originalKey } from '../objects/object-keys.ts';
import type { Stores } from '../objects/stores.ts';
import { AppError } from '../platform/errors.ts';
import { sendError, toAppError } from '../platform/http/error-replies.ts';
import { newRequestId } from '../platform/http/request-id.ts';
import type { Log } from '../platform/log.ts';
import type { AddressMatch, PublicAddress } from './address.ts';
import type { FactsCache, ObjectFacts } from './object-facts.ts';
import { commonHeaders, type Representation, representationHeaders } from './representation.ts';
import { send } from './send.ts';
import { checkPolicy, isOpen } from './transform-policy.ts';

const maxKeptFileBytes = 256 * 1024;
const methods = 'GET, HEAD, OPTIONS';

export type DeliveryParts = {
  match(host: string | undefined, path: string): AddressMatch;
  facts: FactsCache;
  stores: Stores;
  variants: VariantRenderer;
  isKeptVariant: (generation: string, name: string) => Promise<boolean>;
  openSecret: (sealed: string) => string;
  memoryBytes: number;
  log: Log;
  onAnswer?(source: 'memory' | 'disk' | 'rendered' | 'error'): void;
};

export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #kept: Lru<string, Representation>;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#kept = new Lru(parts.memoryBytes);
  }

  /** False when the request is not for a public address. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const [path, query] = splitOnce(request.url ?? '/', '?');
    const match = this.#parts.match(request.headers.host, path);
    if (match === 'not ours') return false;
    // Nobody reads a body here: the connection ends with the answer, so that none can trickle in for ever.
    if ('transfer-encoding' in request.headers || Number(request.headers['content-length']))
      response.shouldKeepAlive = false;
    void this.#answer(request, response, match, path, query).catch((error: unknown) =>
      this.#fail(response, error),
    );
    return true;
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    match: AddressMatch,
    path: string,
    query: string,
  ): Promise<void> {
    if (request.method === 'OPTIONS') {
      const preflight = {
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': '*',
        'Access-Control-Max-Age': '86400',
      };
      response.writeHead(204, { ...commonHeaders, ...preflight, Allow: methods }).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new AppError('method_not_allowed', `This address accepts ${methods}`, {
        headers: { Allow: methods },
      });
    }
    if (typeof match === 'string') throw new AppError('not_found');
    const parameters = query === '' ? null : new URLSearchParams(query);
    const download = parameters?.has('dl') ? parameters.get('dl') || match.objectId : null;
    const kept = this.#kept.get(path);
    if (kept && this.#parts.facts.isCurrent(kept.facts)) {
      this.#parts.onAnswer?.('memory');
      return send(request, response, kept, download);
    }
    if (kept) this.#kept.delete(path);
    await send(
      request,
      response,
      await this.#find(request, match, path, parameters ?? new URLSearchParams()),
      download,
    );
  }

  async #find(
    request: IncomingMessage,
    address: PublicAddress,
    path: string,
    query: URLSearchParams,
  ): Promise<Representation> {
    const facts = await this.#parts.facts.find(address.bucketId, address.objectId);
    if (!facts || facts.backend !== address.backend) throw new AppError('object_not_found');
    const asked = parseTransformation(address.rendition);
    if (asked.kind === 'original') {
      this.#parts.onAnswer?.('disk');
      return this.#original(facts);
    }
    const negotiated = asked.format === 'auto';
    const wanted = withFormat(
      asked,
      asked.format === 'auto' ? negotiateFormat(request.headers.accept, facts.alpha === 1) : asked.format,
    );
    const name = printTransformation(wanted);
    await checkPolicy({
      facts,
      name,
      path,
      query,
      isKept: () => this.#parts.isKeptVariant(facts.generation, name),
      openSecret: this.#parts.openSecret,
    });
    const representation = await this.#variant(facts, wanted, negotiated);
    // What a client's Accept decides cannot be kept under the path alone.
    if (representation.bytes && !negotiated && isOpen(facts, name))
      this.#kept.set(path, representation, weightOf(path, representation.bytes));
    return representation;
  }

  #original(facts: ObjectFacts): Representation {
    const storage = this.#parts.stores[facts.backend];
    return {
      facts,
      sizeBytes: facts.size_bytes,
      ...representationHeaders({
        type: facts.type,
        sha256: facts.sha256,
        immutable: facts.custom_id === 0,
        varies: false,
      }),
      bytes: null,
      open: async (range) => {
        const stream = await storage.get(originalKey(facts.bucket_id, facts.generation), range ?? undefined);
        if (!stream && facts.stale) throw new AppError('object_not_found');
        if (!stream) throw new Error(`The original of generation ${facts.generation} is missing`);
        return stream;
      },
      close: () => Promise.resolve(),
    };
  }

  async #variant(
    facts: ObjectFacts,
    wanted: VariantTransformation,
    varies: boolean,
  ): Promise<Representation> {
    const variant = await this.#parts.variants.getVariant(originalImageOf(this.#parts.stores, facts), wanted);
    const { handle, size: sizeBytes } = variant;
    this.#parts.onAnswer?.(variant.cached ? 'disk' : 'rendered');
    const headers = representationHeaders({
      type: variant.mediaType,
      sha256: variant.sha256,
      immutable: facts.custom_id === 0,
      varies,
    });
    if (facts.stale) {
      // Deleted while it was rendered: what the worker wrote after the purge must not stay.
      await handle.close();
      await this.#parts.variants.removeVariants(facts.bucket_id, facts.generation);
      throw new AppError('object_not_found');
    }
    if (sizeBytes > maxKeptFileBytes) {
      const open: Representation['open'] = async (range) =>
        handle.createReadStream({ start: range?.start ?? 0, end: range?.end ?? sizeBytes - 1 });
      return { facts, sizeBytes, ...headers, bytes: null, open, close: () => handle.close() };
    }
    const bytes = Buffer.allocUnsafeSlow(sizeBytes);
    await handle.read(bytes, 0, sizeBytes, 0);
    await handle.close();
    const neverOpened = (): never => {
      throw new Error('Sent from memory');
    };
    return { facts, sizeBytes, ...headers, bytes, open: neverOpened, close: () => Promise.resolve() };
  }

  #fail(response: ServerResponse, error: unknown): void {
    const known = toAppError(error);
    const requestId = newRequestId();
    this.#parts.onAnswer?.('error');
    if (known.status >= 500)
      this.#parts.log.error(
        { err: known.cause ?? known, code: known.code, reqId: requestId },
        'delivery failed',
      );
    if (response.headersSent) response.destroy();
    else sendError(response, known, { ...commonHeaders, 'X-Request-Id': requestId });
  }
}

function weightOf(path: string, bytes: Buffer): number {
  return bytes.length + path.length * 2 + 1000;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
