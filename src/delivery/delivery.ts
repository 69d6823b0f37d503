// The public addresses. A small file asked for before is answered from memory by its raw path; everything else goes from
// address to facts to file. Runs in front of the framework, because it is what the service does most.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientKind } from '../images/address/negotiate-format.ts';
import { Lru } from '../lib/lru.ts';
import { AppError, isExpected } from '../platform/errors.ts';
import { sendError, toAppError } from '../platform/http/error-replies.ts';
import type { PreparedAnswer } from '../platform/http/front-connection.ts';
import { newRequestId } from '../platform/http/request-id.ts';
import type { Log } from '../platform/log.ts';
import type { AddressMatch, PublicAddress } from './address.ts';
import { type FindParts, RepresentationFinder } from './find-representation.ts';
import { nameHost, withAnswer } from './prepared-hits.ts';
import { Refusals } from './refusals.ts';
import { commonHeaders, type KeptRepresentation, type Representation } from './representation.ts';
import { send } from './send.ts';

const methods = 'GET, HEAD, OPTIONS';
const noteUseEveryMs = 600_000;
/** So many that a new connection costs little beside them. */
const maxSlowHits = 200;

export type DeliveryParts = FindParts & {
  match(host: string | undefined, path: string): AddressMatch;
  clientOf(request: IncomingMessage): string;
  memoryBytes: number;
  log: Log;
  onAnswer?(source: 'memory' | 'disk' | 'rendered' | 'refused' | 'error'): void;
};

export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #finder: RepresentationFinder;
  readonly #kept: Lru<string, KeptRepresentation>;
  readonly #refusals: Refusals;
  readonly #slowHits = new WeakMap<Socket, number>();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#finder = new RepresentationFinder(parts);
    this.#refusals = new Refusals(parts.log);
    this.#kept = new Lru(parts.memoryBytes);
    setInterval(() => this.#noteUse(), noteUseEveryMs).unref();
  }

  /** The answer to a GET that asks for nothing but this, when it is in memory. */
  prepared(host: string, path: string): PreparedAnswer | null {
    const kept = this.#kept.get(path);
    if (!kept?.hosts.has(host) || !this.#isCurrent(kept)) return null;
    kept.used = true;
    return kept.answer;
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
    const kept = this.#held(path, match, request);
    if (kept) {
      this.#parts.onAnswer?.('memory');
      nameHost(kept, request.headers.host);
      kept.used = true;
      this.#sendBackToFront(request, response);
      return send(request, response, kept, download);
    }
    const found = await this.#find(request, match, path, parameters ?? new URLSearchParams());
    if ('redirectTo' in found) return redirect(response, found.redirectTo);
    await send(request, response, found, download);
  }

  /** A connection that once left the front stays here: where it asks for much that the front could answer, it is ended. */
  #sendBackToFront({ socket }: IncomingMessage, response: ServerResponse): void {
    const hits = (this.#slowHits.get(socket) ?? 0) + 1;
    this.#slowHits.set(socket, hits);
    if (hits >= maxSlowHits) response.shouldKeepAlive = false;
  }

  #held(path: string, { backend }: PublicAddress, request: IncomingMessage): KeptRepresentation | null {
    for (const key of [path, keyForAlike(path, request)]) {
      const kept = this.#kept.get(key);
      if (!kept) continue;
      if (this.#isCurrent(kept)) return kept.facts[0]?.backend === backend ? kept : null;
      this.#kept.delete(key);
    }
    return null;
  }

  /** What is answered from memory is not read from disk: without this its file would look as if nobody wanted it. */
  #noteUse(): void {
    for (const kept of this.#kept.values()) {
      if (kept.used) kept.noteUse?.();
      kept.used = false;
    }
  }

  #isCurrent({ facts }: Representation): boolean {
    return facts.every((each) => this.#parts.facts.isCurrent(each));
  }

  async #find(
    request: IncomingMessage,
    address: PublicAddress,
    path: string,
    query: URLSearchParams,
  ): Promise<Representation | { redirectTo: string }> {
    const found = await this.#finder.find({
      address,
      path,
      query,
      client: this.#parts.clientOf(request),
      accepts: clientKind(request.headers.accept),
    });
    if ('redirectTo' in found) return found;
    const { representation, source, sharedWith } = found;
    this.#parts.onAnswer?.(source);
    if (representation.bytes && sharedWith !== 'nobody') {
      const key = sharedWith === 'all' ? path : keyForAlike(path, request);
      const kept = withAnswer(representation, representation.bytes);
      nameHost(kept, request.headers.host);
      this.#kept.set(key, kept, weightOf(key, representation.bytes));
    }
    return representation;
  }

  #fail(response: ServerResponse, error: unknown): void {
    const known = toAppError(error);
    const requestId = newRequestId();
    this.#parts.onAnswer?.(isExpected(known.status) ? 'refused' : 'error');
    if (known.code === 'overloaded') this.#refusals.note();
    else if (known.status >= 500)
      this.#parts.log.error(
        { err: known.cause ?? known, code: known.code, reqId: requestId },
        'delivery failed',
      );
    if (response.headersSent) response.destroy();
    else sendError(response, known, { ...commonHeaders, 'X-Request-Id': requestId });
  }
}

/** To where somebody else keeps it; who they are may change, so nobody should remember it. */
function redirect(response: ServerResponse, location: string): void {
  response
    .writeHead(302, {
      ...commonHeaders,
      Location: location,
      'Cache-Control': 'no-store',
      'Content-Length': 0,
    })
    .end();
}

/** What a client's Accept decides is kept for those whose says the same. */
function keyForAlike(path: string, request: IncomingMessage): string {
  return `${path} ${clientKind(request.headers.accept)}`;
}

function weightOf(path: string, bytes: Buffer): number {
  return bytes.length + path.length * 2 + 2000;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
