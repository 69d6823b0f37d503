// One request to the API: its address, its key, its answer, and another try where that is safe.
import type { Operations } from './api.ts';
import { ConnectionError, refusal, TintypeError } from './errors.ts';
import { sleep } from './sleep.ts';

export type ConnectionOptions = {
  /** Where the service is, such as `https://media.example.com`; empty for the page's own origin. */
  readonly url: string;
  /** An API key or an upload token; none where a session cookie says who asks. */
  readonly key?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How often a request that may be repeated is tried again after a broken line or a busy service. */
  readonly retries?: number;
  /** In place of the runtime's own. */
  readonly fetch?: typeof fetch;
};

export type OperationName = keyof Operations;
type PartOf<Name extends OperationName, Part extends string> =
  Operations[Name] extends Record<Part, infer Value> ? Value : undefined;
export type QueryOf<Name extends OperationName> = PartOf<Name, 'query'>;
export type BodyOf<Name extends OperationName> = PartOf<Name, 'body'>;
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer'];

export type CallOptions = { readonly signal?: AbortSignal | undefined };

export type Request = CallOptions & {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

type PlainRequest = CallOptions & {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData | Blob | ReadableStream<Uint8Array> | undefined;
  /** Whether it does no harm twice. */
  readonly repeatable: boolean;
};

const firstPauseMs = 250;
/** Whoever says to come back later than this wants the caller to decide. */
const longestPauseMs = 10_000;

export class Calls {
  readonly #options: ConnectionOptions;
  readonly #origin: string;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#origin = options.url.replace(/\/+$/, '');
  }

  async json<Name extends OperationName>(name: Name, request: Request = {}): Promise<AnswerOf<Name>> {
    return (await this.answer(name, request)).body;
  }

  /** With the headers, where an answer says more in them. */
  async answer<Name extends OperationName>(
    name: Name,
    request: Request = {},
  ): Promise<{ body: AnswerOf<Name>; headers: Headers }> {
    const [method = '', path = ''] = name.split(' ');
    const hasBody = request.body !== undefined;
    return this.read(addressOf(path, request), {
      method,
      headers: { ...(hasBody ? { 'Content-Type': 'application/json' } : {}), ...request.headers },
      body: hasBody ? JSON.stringify(request.body) : undefined,
      signal: request.signal,
      repeatable: method === 'GET' || request.headers?.['Idempotency-Key'] !== undefined,
    });
  }

  /** Any request whose answer is read whole: a line that breaks in the middle of it is a reason to try again, too. */
  read<Body>(path: string, request: PlainRequest): Promise<{ body: Body; headers: Headers; status: number }> {
    return this.#tried(request, async () => {
      const response = await this.#once(path, request);
      return { body: (await readJson(response)) as Body, headers: response.headers, status: response.status };
    });
  }

  async #tried<Value>(request: PlainRequest, attempt: () => Promise<Value>): Promise<Value> {
    const tries = 1 + (request.repeatable ? (this.#options.retries ?? 2) : 0);
    for (let made = 1; ; made += 1) {
      try {
        return await attempt();
      } catch (error) {
        const pauseMs = pauseAfter(error, made);
        if (made >= tries || pauseMs === undefined) throw error;
        await sleep(pauseMs, request.signal);
      }
    }
  }

  address(path: string): string {
    return `${this.#origin}${path}`;
  }

  headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { key, headers } = this.#options;
    return { ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }), ...headers, ...more };
  }

  async #once(path: string, { method, headers, body, signal }: PlainRequest): Promise<Response> {
    const send = this.#options.fetch ?? fetch;
    let response: Response;
    try {
      response = await send(this.address(path), {
        method,
        headers: this.headers(headers),
        body: body ?? null,
        signal: signal ?? null,
        // Asked for by the standard of streamed requests, and not yet in every type of it.
        ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new ConnectionError(`The service at ${this.#origin || 'this address'} cannot be reached`, {
        cause: error,
      });
    }
    if (!response.ok) throw refusal(response.status, response.headers, await response.text().catch(() => ''));
    return response;
  }
}

function addressOf(path: string, { path: values = {}, query = {} }: Request): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => pathPart(values[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) search.append(name, String(each));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** What a URL takes for a step, or for nothing at all, would ask for something else. */
function pathPart(value: string): string {
  if (['', '.', '..'].includes(value)) throw new TypeError(`“${value}” cannot be an id`);
  return encodeURIComponent(value);
}

/** From the Link header of a list that is walked by cursor. */
export function nextCursorOf(headers: Headers): string | null {
  const [, cursor] = /[?&]cursor=([^&>]+)/.exec(headers.get('link') ?? '') ?? [];
  return cursor === undefined ? null : decodeURIComponent(cursor);
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw new ConnectionError('The line broke in the middle of the answer', { cause: error });
  });
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(response.status, response.headers, 'not JSON');
  }
}

/** How long to wait before another try; undefined where that would change nothing. */
function pauseAfter(error: unknown, made: number): number | undefined {
  const ownPauseMs = firstPauseMs * 2 ** (made - 1) * (0.5 + Math.random() / 2);
  if (error instanceof ConnectionError) return ownPauseMs;
  if (!(error instanceof TintypeError) || ![429, 502, 503, 504].includes(error.status)) return undefined;
  const askedMs = (error.retryAfterSeconds ?? 0) * 1000;
  return askedMs > longestPauseMs ? undefined : Math.max(ownPauseMs, askedMs);
}
