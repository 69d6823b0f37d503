// Speaks the two endpoints of the OpenAI API that we use, on loopback and strictly. Captions come from the test, vectors from the
// words of a text; and it behaves as badly as it is told to.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type ApiError,
  type AskedPicture,
  checkHeaders,
  readCaptionRequest,
  readVectorRequest,
  refuse,
} from './openai-requests.ts';
import { type Random, seededRandom } from './random.ts';
import { wordVector } from './word-vectors.ts';

export type Mode =
  | { kind: 'well' }
  /** 401, 429, 500 or any other error, as OpenAI words them. */
  | { kind: 'error'; status: number; error?: Partial<ApiError>; headers?: Record<string, string> }
  /** 200 with this body: garbage, nothing, an answer of a peculiar server, 10 MB. */
  | { kind: 'body'; body: string }
  /** The numbers of a vector, changed: NaN as JSON null, texts, zeros, too few. */
  | { kind: 'vector'; change: (vector: number[]) => unknown }
  | { kind: 'hang' | 'cut' | 'redirect' | 'ignores-dimensions' | 'refuses-dimensions' }
  | { kind: 'slow'; byMs: number }
  /** That share of calls fails, in one of several ways. */
  | { kind: 'flaky'; share: number; seed: number };

/** Only calls of that endpoint, and only so many; then it behaves well again. */
export type Extent = { to?: Path; times?: number };
type Path = '/chat/completions' | '/embeddings';
export type SeenRequest = { path: string; headers: IncomingMessage['headers']; body: any };

export type OpenAiStandInOptions = {
  caption?: (picture: AskedPicture) => unknown;
  apiKey?: string;
  captionModel?: string;
  embeddingModel?: string;
  /** Of the model's own vectors. */
  dimensions?: number;
  /** How long it takes for every answer. */
  latencyMs?: number;
  port?: number;
};

export type OpenAiStandIn = {
  /** As OPENAI_BASE_URL has it. */
  url: string;
  apiKey: string;
  captionModel: string;
  embeddingModel: string;
  requests: SeenRequest[];
  /** May be changed at any time. */
  latencyMs: number;
  behave: (mode: Mode, extent?: Extent) => void;
  close: () => Promise<void>;
} & AsyncDisposable;

type Behaviour = { mode: Mode; to?: Path; timesLeft: number; random: Random };
type Desk = Required<Omit<OpenAiStandInOptions, 'port'>>;

const base = '/v1';

export async function startOpenAiStandIn(options: OpenAiStandInOptions = {}): Promise<OpenAiStandIn> {
  const desk: Desk = {
    caption: ({ width, height }) => `A grey picture, ${width} wide and ${height} high.`,
    apiKey: 'sk-stand-in-key-for-tests',
    captionModel: 'gpt-4o-mini',
    embeddingModel: 'text-embedding-3-small',
    dimensions: 1536,
    latencyMs: 0,
    ...options,
  };
  const requests: SeenRequest[] = [];
  const { behave, modeFor } = createConduct();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(request);
    const path = request.url ?? '';
    const body = parsed(sent);
    requests.push({ path, headers: request.headers, body });
    if (standIn.latencyMs > 0) await pause(standIn.latencyMs);
    await answer(desk, modeFor(path), { request, response, body });
  };
  // A client that goes away in the middle is no fault here.
  const server = createServer(
    (request, response) => void take(request, response).catch(() => response.destroy()),
  );
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const { apiKey, captionModel, embeddingModel, latencyMs } = desk;
  const standIn: OpenAiStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    apiKey,
    captionModel,
    embeddingModel,
    requests,
    latencyMs,
    behave,
    close,
    [Symbol.asyncDispose]: close,
  };
  return standIn;
}

/** Keeps how it is to behave, and tells it for each call. */
function createConduct(): { behave: OpenAiStandIn['behave']; modeFor: (path: string) => Mode } {
  let behaviour: Behaviour | null = null;
  return {
    behave(mode, { to, times = Number.POSITIVE_INFINITY } = {}) {
      const random = seededRandom(mode.kind === 'flaky' ? mode.seed : 0);
      behaviour = { mode, timesLeft: times, random, ...(to ? { to } : {}) };
    },
    modeFor(path) {
      if (!behaviour || behaviour.timesLeft === 0 || (behaviour.to && path !== base + behaviour.to))
        return { kind: 'well' };
      behaviour.timesLeft -= 1;
      const { mode, random } = behaviour;
      if (mode.kind !== 'flaky') return mode;
      return random.chance(mode.share) ? random.pick(failures) : { kind: 'well' };
    },
  };
}

const failures: Mode[] = [
  { kind: 'error', status: 500 },
  { kind: 'error', status: 503 },
  { kind: 'error', status: 429, headers: { 'retry-after-ms': '20' } },
  { kind: 'body', body: '<html>Bad gateway</html>' },
  { kind: 'cut' },
];

type Exchange = { request: IncomingMessage; response: ServerResponse; body: any };

async function answer(desk: Desk, mode: Mode, { request, response, body }: Exchange): Promise<void> {
  if (mode.kind === 'hang') return;
  if (mode.kind === 'cut') return void request.socket.destroy();
  if (mode.kind === 'slow') await pause(mode.byMs, undefined, { ref: false });
  if (mode.kind === 'redirect')
    return void response.writeHead(307, { Location: 'http://127.0.0.1:9/elsewhere' }).end();
  try {
    if (mode.kind === 'error') fail(mode);
    checkHeaders(request.headers, desk.apiKey);
    if (request.method !== 'POST') refuse(405, `Not allowed: ${request.method}`);
    const json = answerTo(desk, mode, request.url ?? '', body);
    send(response, 200, mode.kind === 'body' ? mode.body : JSON.stringify(json));
  } catch (thrown) {
    if (thrown instanceof Error) throw thrown;
    const { status, ...error } = thrown as ApiError;
    send(response, status, JSON.stringify({ error }), mode.kind === 'error' ? mode.headers : {});
  }
}

function fail({ status, error }: Extract<Mode, { kind: 'error' }>): never {
  return refuse(status, 'Something went wrong.', {
    type: status >= 500 ? 'server_error' : 'requests',
    ...error,
  });
}

function answerTo(desk: Desk, mode: Mode, path: string, body: any): unknown {
  if (path === `${base}/chat/completions`) {
    const content = desk.caption(readCaptionRequest(body, desk));
    return {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: body.model,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, refusal: null } }],
      usage: { prompt_tokens: 3000, completion_tokens: 100, total_tokens: 3100 },
    };
  }
  if (path !== `${base}/embeddings`) refuse(404, `Invalid URL (POST ${path})`);
  const { input, dimensions } = readVectorRequest(body, desk);
  if (mode.kind === 'refuses-dimensions' && dimensions !== null)
    refuse(400, 'This model does not support specifying dimensions.');
  const isShortened = dimensions !== null && mode.kind !== 'ignores-dimensions';
  const vector = wordVector(input, isShortened ? dimensions : desk.dimensions);
  const embedding = mode.kind === 'vector' ? mode.change(vector) : vector;
  return {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding }],
    model: body.model,
    usage: { prompt_tokens: 100, total_tokens: 100 },
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
}

function parsed(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return undefined;
  }
}
