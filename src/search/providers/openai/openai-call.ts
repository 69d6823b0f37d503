// One call of the API: JSON there and back, and every way it can fail as a fault that tells neither key nor address nor content.
import { type Audience, callOut, type OutgoingAnswer } from '../../../platform/egress/call-out.ts';
import { ProviderFault } from '../ai-provider.ts';
import { faultOf, type Purpose, readRefusal, type Refusal } from './refusal.ts';

export type Server = { readonly baseUrl: string; readonly apiKey: string; readonly audience: Audience };
export type OpenAiCall = {
  readonly path: '/chat/completions' | '/embeddings';
  readonly purpose: Purpose;
  readonly model: string;
  readonly body: object;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
};
export type Outcome =
  | { readonly json: unknown }
  /** What it said, for those who know another way to ask, and what that means for all others. */
  | { readonly refusal: Refusal; readonly fault: ProviderFault };

const maxAnswerBytes = 1024 * 1024;

/** Throws a ProviderFault when there is no answer that can be read. */
export async function callOpenAi(server: Server, call: OpenAiCall): Promise<Outcome> {
  const { purpose, model } = call;
  const answer = await send(server, call);
  if (answer.status >= 200 && answer.status < 300) return { json: readJson(answer.body) };
  const refusal = readRefusal(answer, Date.now());
  return { refusal, fault: faultOf(refusal, { purpose, model, apiKey: server.apiKey }) };
}

export function jsonIn(outcome: Outcome): unknown {
  if ('fault' in outcome) throw outcome.fault;
  return outcome.json;
}

async function send({ baseUrl, apiKey, audience }: Server, call: OpenAiCall): Promise<OutgoingAnswer> {
  const body = JSON.stringify(call.body);
  try {
    return await callOut({
      ...audience,
      url: addressOf(baseUrl, call.path),
      method: 'POST',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
      },
      body,
      deadlineMs: call.deadlineMs,
      signal: call.signal,
      readBody: { maxBytes: maxAnswerBytes },
    });
  } catch (error) {
    throw faultOfCall(error as Error, call.signal);
  }
}

/** A query of the address stays: some services have their version there. */
function addressOf(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url.href;
}

/** A new error without a cause: what Node throws of an address that is none holds that address. */
function faultOfCall({ message }: Error, signal: AbortSignal): ProviderFault {
  if (signal.aborted) return givenUp();
  if (message.includes('not on the public internet')) {
    return new ProviderFault(
      'settings',
      'The address of the AI provider is not on the public internet; set another one in the account settings',
    );
  }
  if (message === 'the answer is too long')
    return new ProviderFault('answer', 'The AI provider answered far too much');
  if (message.startsWith('no answer'))
    return new ProviderFault('unavailable', 'The AI provider did not answer in time');
  const [, code] = /^no connection \((\w+)\)$/.exec(message) ?? [];
  if (code) return new ProviderFault('unavailable', `The AI provider cannot be reached (${code})`);
  return new ProviderFault(
    'settings',
    'The address of the AI provider or its API key cannot be used; set others',
  );
}

export function givenUp(): ProviderFault {
  return new ProviderFault('unavailable', 'The call of the AI provider was given up');
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new ProviderFault('answer', 'The AI provider answered something else than JSON');
  }
}
