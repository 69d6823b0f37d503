// What it means when the server answers, but not with what was asked for. Nothing it wrote is passed on but the code of the error,
// if that is one plain word: more could hold the key, the address or the picture.
import { type FaultKind, ProviderFault } from '../ai-provider.ts';
import { jsonField } from './json-field.ts';
import { retryAfterMs } from './retry-after.ts';
import type { OutgoingAnswer } from '../../../platform/egress/call-out.ts';

export type Purpose = 'caption' | 'vector';
/** An error as the server told it. */
export type Refusal = {
  readonly status: number;
  /** Of its message; only to be looked through, never to be shown. */
  readonly words: string;
  readonly code: string;
  readonly parameter: string;
  readonly retryAfterMs: number | null;
};

export type Asked = { readonly purpose: Purpose; readonly model: string; readonly apiKey: string };

const maxWords = 2000;
const noCreditMs = 10 * 60_000;
const noCredit = new Set(['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active']);
const modelCodes = new Set(['model_not_found', 'invalid_model', 'unknown_model', 'model_not_available']);
/** As OpenAI, OpenRouter, vLLM, llama.cpp and Ollama say it, each in its own words. */
const cannotSee = new RegExp(
  [
    'image_url is only supported',
    'that support image input',
    'not a multimodal model',
    'at most 0 image',
    'image input is not supported',
    'mmproj',
    'missing data required for image',
    '(?:does not|doesn.t) (?:support|accept) (?:images?|vision|image inputs?)(?=\\s*(?:[.,;:!"]|$))',
  ].join('|'),
  'i',
);
const unknownModel =
  /\b(?:unknown|invalid|no such) model|\bmodels?\b.{0,120}\b(?:does not exist|not found|not (?:available|loaded|deployed|allowed)|not a valid)|no models? loaded/i;
const settingOf = { caption: 'caption model', vector: 'embedding model' } as const;

export function readRefusal({ status, headers, body }: OutgoingAnswer, nowMs: number): Refusal {
  const answer = parsed(body);
  const error = jsonField(answer, 'error') ?? answer;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    status,
    words: wordsOf(jsonField(error, 'message') ?? jsonField(error, 'detail') ?? error),
    code: text(jsonField(error, 'code')) || text(jsonField(error, 'type')),
    parameter: text(jsonField(error, 'param')),
    retryAfterMs: retryAfterMs(headers, nowMs),
  };
}

/** Some servers give a list of complaints. Cut, because patterns are looked for in it. */
function wordsOf(message: unknown): string {
  const words = typeof message === 'string' ? message : JSON.stringify(message);
  return words.slice(0, maxWords);
}

/** Whether it is the number of dimensions that it does not take. */
export function refusesDimensions({ status, words, parameter }: Refusal): boolean {
  return [400, 422].includes(status) && (parameter === 'dimensions' || /dimensions|matryoshka/i.test(words));
}

export function faultOf(refusal: Refusal, asked: Asked): ProviderFault {
  return faultOfSettings(refusal, asked) ?? faultOfCredit(refusal) ?? faultOfStatus(refusal, asked);
}

function faultOfSettings(refusal: Refusal, { purpose, model }: Asked): ProviderFault | null {
  const { status, words, code, parameter } = refusal;
  const setting = settingOf[purpose];
  const settings = (message: string): ProviderFault => new ProviderFault('settings', message);
  if (purpose === 'caption' && [400, 404, 415, 422, 500, 501].includes(status) && cannotSee.test(words))
    return settings(`The ${setting} ${model} does not take pictures; set one that does`);
  const isOfModel = modelCodes.has(code) || parameter === 'model' || unknownModel.test(words);
  if ([400, 403].includes(status) && isOfModel)
    return settings(`The AI provider does not offer the ${setting} ${model}; set another one`);
  if (status === 401 || status === 403)
    return settings('The AI provider refused the API key; set another one in the account settings');
  if ([404, 405, 410].includes(status))
    return settings(`The AI provider does not offer the ${setting} ${model}, or its address is wrong`);
  return null;
}

function faultOfCredit({ status, code }: Refusal): ProviderFault | null {
  if (status !== 402 && !noCredit.has(code)) return null;
  return new ProviderFault('busy', 'There is no credit left with the AI provider', noCreditMs);
}

function faultOfStatus(refusal: Refusal, { purpose, apiKey }: Asked): ProviderFault {
  const { status, retryAfterMs: waitMs } = refusal;
  const told = [status, shownCode(refusal, apiKey)].filter((each) => each !== '').join(', ');
  const fault = (kind: FaultKind, message: string): ProviderFault =>
    new ProviderFault(kind, `${message} (${told})`, waitMs);
  if (status === 429) return fault('busy', 'The AI provider is asked too often at present');
  if (status < 400)
    return fault('unavailable', 'The AI provider answered with a redirect, which is not followed');
  if ([408, 409, 425].includes(status) || status >= 500)
    return fault('unavailable', 'The AI provider has a fault of its own');
  if (purpose === 'caption') return fault('picture', 'The AI provider does not take this picture');
  return fault('answer', 'The AI provider does not take this text');
}

/** Only what cannot be part of a key, and not even then when it is. */
function shownCode({ code }: Refusal, apiKey: string): string {
  const isPlain = /^[a-z]+(?:_[a-z]+){0,5}$/.test(code) && code.length <= 50;
  return isPlain && !apiKey.includes(code) && !code.includes(apiKey) ? code : '';
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
